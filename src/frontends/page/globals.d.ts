// Names that the build fills in.
declare const __STREAM_WORKER__: string;
declare const __LAYOUT_WORKER__: string;
declare const __VERSION__: string;
declare module "*.css";
