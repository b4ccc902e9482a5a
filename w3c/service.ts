/** The address by which pages know the aggregation service: a name that no server has, the same for everybody. */
export const AGGREGATION_SERVICE = 'https://aggregation.cointoss.example/';

/** How it is reached, beside the draft's `dap-18-histogram`. */
export const PROTOCOL = 'cointoss-histogram-1';
