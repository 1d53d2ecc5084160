// Which files are evals, by their names alone: known before anything that reads them is loaded.
export const IS_EVAL = /(\.eval|^eval)\.ya?ml$/;
