package io.stele.engine.shard;

/**
 * The ticket of a batch on its way through the log, which {@link WriteResolver#applied} needs.
 *
 * @param number of the batch in its epoch; 0: it bypassed
 * @param conditional whether changes in flight must be noted until it is applied
 */
record WriteTicket(long epoch, long number, boolean conditional) {
    static final WriteTicket PASSED_BY = new WriteTicket(0, 0, false);
}
