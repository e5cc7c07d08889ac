package io.stele.benchmarks.chaos;

import java.util.Random;

/**
 * One way to use Stele, with tables of its own and a model of what must be in them. Its methods are
 * called by one thread at a time; {@link #verify} when nothing else runs any more.
 */
interface ChaosClient {
    /** Its name in {@code --without} and the report. */
    String key();

    /** Makes its tables; called again when it fails. */
    void prepare() throws Exception;

    /**
     * Runs a statement, or some that belong together, and checks the result. Refusals and open
     * outcomes are for the model; exceptions are reported.
     */
    void step(Random random) throws Exception;

    /** Compares all rows with the model, and reports differences. */
    void verify() throws Exception;
}
