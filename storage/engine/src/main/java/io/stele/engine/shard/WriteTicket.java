package io.stele.engine.shard;

/**
 * The identity of a batch on its way through the log, by which {@link WriteResolver#applied}
 * removes its noted changes.
 *
 * @param number of the batch in its epoch; 0: it bypassed the resolver
 * @param conditional whether changes in flight must be noted until it is applied
 */
record WriteTicket(long epoch, long number, boolean conditional) {
    static final WriteTicket PASSED_BY = new WriteTicket(0, 0, false);
}
