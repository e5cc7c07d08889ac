package io.stele.objectstore.hadoop;

import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import java.io.IOException;
import java.util.Random;
import java.util.function.LongConsumer;

/** Stores of tests, on threads of their own. */
public final class HadoopStores {
    private HadoopStores() {}

    /**
     * @param sleepMillis called instead of waiting
     */
    public static HadoopObjectStore open(
            HadoopLocation location, HadoopConfig config, Random random, LongConsumer sleepMillis)
            throws IOException {
        return HadoopObjectStore.open(
                location,
                config,
                new RetrievalConfig(),
                random,
                sleepMillis,
                TestingThreads.start());
    }
}
