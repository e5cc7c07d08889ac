package io.stele.objectstore;

import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** A store that is worth to be read ahead of, as those over a network are. */
public class FarObjectStore extends ForwardingObjectStore {
    private final ReadingAhead ahead;

    public FarObjectStore(ObjectStore store, Executor executor, LongSupplier nanoTime) {
        super(store);
        ahead = new ReadingAhead(new ReadAheadBalance(64 << 20, nanoTime), executor);
    }

    @Override
    public Optional<ReadingAhead> readingAhead() {
        return Optional.of(ahead);
    }

    long aheadBytes() {
        return ahead.balance().statistics().aheadBytes();
    }
}
