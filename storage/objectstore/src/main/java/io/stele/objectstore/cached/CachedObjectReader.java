package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.RangeLoader;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ReadTally;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * A reader of a data file through the data page cache, which fetches missing pages from the object
 * store.
 */
final class CachedObjectReader implements ObjectReader {
    private final ObjectStore store;
    private final String path;
    private final PageCache cache;
    private final CachedFile file;
    private final boolean isPrefetching;
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder fetchedBytes = new LongAdder();
    private final LongAdder waits = new LongAdder();

    /**
     * @param isPrefetching whether prefetched pages are still cached when they are read
     */
    CachedObjectReader(
            ObjectStore store,
            String path,
            PageCache cache,
            CachedFile file,
            boolean isPrefetching) {
        this.store = requireNonNull(store, "store is null");
        this.path = requireNonNull(path, "path is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.file = requireNonNull(file, "file is null");
        this.isPrefetching = isPrefetching;
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        NonBlocking.check();
        readBytes.add(length);
        if (!cache.read(file, offset, buffer, bufferOffset, length, loader())) {
            waits.increment();
        }
    }

    @Override
    public boolean isPrefetching() {
        return isPrefetching;
    }

    @Override
    public CompletableFuture<Long> prefetch(long offset, long length) {
        return cache.prefetch(file, offset, length, loader());
    }

    @Override
    public ObjectReader admittingOnSecondAccess() {
        return new CachedObjectReader(store, path, cache, file.admittedOnSecondAccess(), false);
    }

    /** Loads in the account of this thread's work, also on other threads. */
    private RangeLoader loader() {
        Optional<ReadAccount> account = ReadAccount.current();
        if (account.isEmpty()) {
            return this::load;
        }
        return (offset, buffer, bufferOffset, length) ->
                account.get()
                        .call(
                                () -> {
                                    load(offset, buffer, bufferOffset, length);
                                    return length;
                                });
    }

    private void load(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        requests.increment();
        fetchedBytes.add(length);
        store.read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public ReadTally tally() {
        return new ReadTally(readBytes.sum(), requests.sum(), fetchedBytes.sum(), waits.sum());
    }
}
