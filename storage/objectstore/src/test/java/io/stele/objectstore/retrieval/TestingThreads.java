package io.stele.objectstore.retrieval;

import java.time.InstantSource;

/** Threads of retrieval for tests: real ones, and what goes wrong in them ends the test. */
public final class TestingThreads {
    private TestingThreads() {}

    public static RetrievalThreads start() {
        return new RetrievalThreads(
                Thread.ofPlatform().daemon().factory(),
                Thread.ofVirtual().factory(),
                System::nanoTime,
                InstantSource.system(),
                failure -> {
                    throw new AssertionError(failure);
                });
    }
}
