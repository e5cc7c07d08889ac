package io.stele.engine;

import java.io.IOException;

/**
 * One way to use an engine, with its own tables and its own oracle; a {@link Simulation} drives any
 * number of them over one node that fails and crashes.
 *
 * <p>A workload is made on a fresh node without faults and may await there. Everything it draws
 * comes from the generator it was made with, so that other workloads do not change what it does.
 * Add one by adding its class to {@link Workloads}. Confined to the simulation's thread.
 */
interface Workload {
    /**
     * One thing that a client does, perhaps while the node is failing or dead: never waits for the
     * node ({@link SimulatedNode#await} would not end). Throwing a SteleException or an IOException
     * is what a dying node does; {@link AssertionError} fails the run.
     */
    void act() throws IOException;

    /**
     * The node has started again after a crash and has no faults now: everything that must hold is
     * checked, and the answers that were lost are asked for again. May await.
     */
    void check() throws IOException;

    /** The end of the run, after the last {@link #check}: compacts what there is, for example. */
    default void finish() throws IOException {
        check();
    }

    /**
     * How many requests were acknowledged: a workload in which nothing gets through proves nothing.
     */
    long acknowledged();
}
