// Which machine this is. The one place that asks Node: everything else asks `system`, or gets it as an argument.
export const PLATFORM: string = process.platform;
export const ARCHITECTURE: string = process.arch;
