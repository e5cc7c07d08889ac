package io.stele.benchmarks.chaos;

import java.util.Random;

/**
 * One way to use Stele, with tables of its own and a model of what must be in them. Its methods are
 * called by one thread at a time; {@link #verify} when nothing else goes on any more.
 */
interface ChaosClient {
    /** What {@code --without} and the report call it. */
    String key();

    /** Makes its tables; called again when it fails. */
    void prepare() throws Exception;

    /**
     * Does a statement or some that belong together, and looks at what they came to. What servers
     * refuse or leave open is for the model; what is thrown is reported.
     */
    void step(Random random) throws Exception;

    /** Compares all there is with the model, and reports what differs. */
    void verify() throws Exception;
}
