package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.paimon.catalog.Catalog;
import org.jspecify.annotations.Nullable;

/**
 * Paimon's catalog of a lake, opened at its first use. A failure to open it is repeated for {@value
 * #FAILURE_SECONDS} seconds without another attempt: else each query would wait for a metastore
 * that does not answer, one after the other, and leave connections behind. Thread-safe; waits for
 * the metastore.
 */
final class LazyCatalog implements AutoCloseable {
    private static final long FAILURE_SECONDS = 5;

    private final Supplier<Catalog> opener;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Catalog catalog;

    @GuardedBy("lock")
    private @Nullable RuntimeException failure;

    @GuardedBy("lock")
    private long failedNanos;

    @GuardedBy("lock")
    private boolean closed;

    LazyCatalog(Supplier<Catalog> opener, LongSupplier nanoTime) {
        this.opener = requireNonNull(opener, "opener is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    Catalog get() {
        Catalog known = catalog;
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            return openOnce();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Catalog openOnce() {
        Catalog known = catalog;
        if (known != null) {
            return known;
        }
        if (closed) {
            throw new IllegalStateException("The catalog is closed");
        }
        RuntimeException last = failure;
        if (last != null
                && nanoTime.getAsLong() - failedNanos < TimeUnit.SECONDS.toNanos(FAILURE_SECONDS)) {
            throw last;
        }
        try {
            Catalog opened = opener.get();
            catalog = opened;
            failure = null;
            return opened;
        } catch (RuntimeException e) {
            failure = e;
            failedNanos = nanoTime.getAsLong();
            throw e;
        }
    }

    @Override
    public void close() throws Exception {
        lock.lock();
        try {
            closed = true;
            Catalog opened = catalog;
            if (opened != null) {
                opened.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
