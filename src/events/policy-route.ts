// Retries are recorded and counted by the number of their route. Those that a `resilience` policy made have no route: this
// number stands for it, in journals of all ages.
export const POLICY_ROUTE = -1;
