// Types of one's own workflow files, by path. `segno types` writes them.

/**
 * Inputs, output and error kinds of workflow files, by the path that `run` and `start` are given. Empty until the file that
 * `segno types` writes is part of the program:
 *
 *     declare module "segno" {
 *       interface Workflows {
 *         "release.yaml": { inputs: { version: string }; output: { url: string }; errors: "build.broken" };
 *       }
 *     }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the user's declarations
export interface Workflows {}
