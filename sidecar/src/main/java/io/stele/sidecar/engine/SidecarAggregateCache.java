package io.stele.sidecar.engine;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.units.DataSize;
import io.stele.cache.BenefitCacheOptions;
import io.stele.cache.BenefitStatistics;
import io.stele.engine.StorageEngine;
import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregateCacheLog;
import io.stele.objectstore.cached.DefaultCacheRules;
import io.stele.objectstore.encryption.EncryptionConfig;
import io.stele.objectstore.metrics.Cumulative;
import io.stele.protocol.api.status.ResultCacheUse;
import io.stele.scheduler.BlockingPool;
import jakarta.annotation.PreDestroy;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * The owner of the sidecar's aggregate cache: it stores results in a local folder for the next
 * start, and exports counters. Thread safe.
 */
public final class SidecarAggregateCache implements Closeable {
    private static final Logger log = Logger.get(SidecarAggregateCache.class);

    /**
     * The most results that wait to be written; further results are computed again after a restart.
     */
    private static final int MAX_WAITING_WRITES = 1_000;

    /** How long a start waits for results of an earlier process: most are read by then. */
    private static final long LOADING_MILLIS = 1_000;

    private static final String FOLDER = "results";

    /** The least share of a disk's free space; with less, nothing is stored there. */
    private static final long MIN_DISK_BYTES = 16 << 20;

    private final Optional<AggregateCache> cache;
    private final BlockingPool writes =
            new BlockingPool(
                    1,
                    MAX_WAITING_WRITES,
                    Thread.ofVirtual().name("aggregate-cache-write-", 0).factory(),
                    failure ->
                            log.error(failure, "A write of an aggregation's cached result failed"));
    private final AggregateCacheConfig config;
    private final boolean isEncrypted;

    @GuardedBy("this")
    private Optional<AggregateCacheLog> kept = Optional.empty();

    /**
     * @throws IllegalArgumentException if a directory is configured that would have values of an
     *     encrypted warehouse
     */
    @Inject
    public SidecarAggregateCache(AggregateCacheConfig config, EncryptionConfig encryption) {
        this.config = requireNonNull(config, "config is null");
        this.isEncrypted =
                encryption.getMasterKeys().isPresent()
                        || encryption.getMasterKeyFile().isPresent()
                        || encryption.getMasterKeyCommand().isPresent();
        this.cache =
                config.isEnabled()
                        ? Optional.of(
                                new AggregateCache(
                                        options(config),
                                        System::nanoTime,
                                        mismatch -> log.error("%s", mismatch)))
                        : Optional.empty();
        if (cache.isPresent() && config.getDirectory().isPresent()) {
            checkArgument(
                    !isEncrypted,
                    "Expected no stele.fragment-cache.directory in a sidecar with encryption at rest: results there are not encrypted");
        }
    }

    /**
     * Deletes unencrypted results that were written before the warehouse was encrypted, because
     * minima and maxima are values of rows.
     *
     * @param folder of this sidecar's caches, if it has any
     */
    public void deleteUnencrypted(Path folder) {
        if (!isEncrypted) {
            return;
        }
        Path results = folder.resolve(FOLDER);
        try {
            int deleted = AggregateCacheLog.delete(results);
            if (deleted > 0) {
                log.info(
                        "Deleted %s segments of results in %s, written before encryption at rest",
                        deleted, results);
            }
        } catch (IOException e) {
            log.warn("Cannot delete results that are not encrypted in %s: %s", results, e);
        }
    }

    /**
     * Starts to store results on disk, where they survive restarts, and reads the results of
     * earlier runs; after a second, reading continues in the background. The folder is the
     * configured folder, or else a folder in the folder of caches. If that default fails, results
     * stay in memory only. With an encrypted warehouse nothing is stored. Call it once, before
     * there are results.
     *
     * @param history of the warehouse, as {@link StorageEngine#history}; if it is empty, no result
     *     is stored, and no stored one is used
     * @param folder of this sidecar's caches, if it has a data cache
     * @throws UncheckedIOException if a configured directory is in use, or cannot be read
     */
    public synchronized void keepIn(Optional<String> history, Optional<Path> folder) {
        if (cache.isEmpty() || isEncrypted) {
            return;
        }
        Optional<Path> configured = config.getDirectory().map(File::toPath);
        if (configured.isEmpty() && folder.isEmpty()) {
            return;
        }
        if (history.isEmpty()) {
            log.warn("Results of aggregations are in memory only: the log cannot be read");
        } else if (configured.isPresent()) {
            try {
                open(
                        cache.get(),
                        configured.get(),
                        history.get(),
                        config.getMaxDiskSize().toBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        } else {
            keepIn(cache.get(), history.get(), folder.get().resolve(FOLDER));
        }
    }

    private synchronized void keepIn(AggregateCache target, String history, Path results) {
        try {
            DefaultCacheRules.createFolder(results);
            long share = DefaultCacheRules.shareOfDisk(results);
            if (share < MIN_DISK_BYTES) {
                throw new IOException(
                        "expected %s or more as a quarter of the disk's free space, found %s"
                                .formatted(
                                        DataSize.succinctBytes(MIN_DISK_BYTES),
                                        DataSize.succinctBytes(share)));
            }
            open(target, results, history, Math.min(share, config.getMaxDiskSize().toBytes()));
            log.info("Results of aggregations outlive restarts in %s", results);
        } catch (IOException | RuntimeException e) {
            log.warn("Results of aggregations are in memory only, not in %s: %s", results, e);
        }
    }

    private synchronized void open(
            AggregateCache target, Path directory, String history, long maxBytes)
            throws IOException {
        AggregateCacheLog opened =
                AggregateCacheLog.open(
                        directory,
                        history,
                        maxBytes,
                        writes::execute,
                        damage -> log.warn("%s", damage),
                        target::restore);
        target.keepIn(opened);
        kept = Optional.of(opened);
        awaitLoaded(opened);
    }

    private static void awaitLoaded(AggregateCacheLog opened) {
        try {
            var unused = opened.loaded().get(LOADING_MILLIS, MILLISECONDS);
        } catch (TimeoutException e) {
            log.info(
                    "Results of aggregations that an earlier process cached are read in the background");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected no failure here", e);
        }
    }

    /** Ends the writes. */
    @Override
    @PreDestroy
    public synchronized void close() throws IOException {
        kept.ifPresent(AggregateCacheLog::endLoading);
        writes.close();
        if (kept.isPresent()) {
            kept.get().close();
        }
    }

    private static BenefitCacheOptions options(AggregateCacheConfig config) {
        return BenefitCacheOptions.of(
                config.getMaxMemorySize().toBytes(),
                config.getMaxResultSize().toBytes(),
                config.getVerifyShare());
    }

    /** The cache; empty where it is switched off. */
    public Optional<AggregateCache> cache() {
        return cache;
    }

    /**
     * Its counters and contents, first of the whole cache, then of each table; empty if it is
     * disabled.
     *
     * @param names of tables by the text of their ids; empty if a table was dropped
     */
    public List<ResultCacheUse> uses(Function<String, Optional<String>> names) {
        return cache.map(present -> present.uses(id -> names.apply(id).orElse(id)))
                .orElse(List.of());
    }

    private long gauge(ToLongFunction<BenefitStatistics> value) {
        return cache.map(present -> value.applyAsLong(present.statistics())).orElse(0L);
    }

    @Managed(description = "Results found")
    @Cumulative
    public long getHits() {
        return gauge(BenefitStatistics::hits);
    }

    @Managed(description = "Results that had to be computed")
    @Cumulative
    public long getMisses() {
        return gauge(BenefitStatistics::misses);
    }

    @Managed(description = "Results that another query was computing already")
    @Cumulative
    public long getFollowed() {
        return gauge(BenefitStatistics::followed);
    }

    @Managed(description = "Milliseconds that computing the found results took once")
    @Cumulative
    public long getSavedMillis() {
        return NANOSECONDS.toMillis(gauge(BenefitStatistics::savedNanos));
    }

    @Managed(description = "Results that made room for others")
    @Cumulative
    public long getSpaceEvictions() {
        return gauge(BenefitStatistics::spaceEvictions);
    }

    @Managed(description = "Results that were too large to keep")
    @Cumulative
    public long getOversized() {
        return gauge(BenefitStatistics::oversized);
    }

    @Managed(description = "Found results that were computed again")
    @Cumulative
    public long getVerified() {
        return gauge(BenefitStatistics::verified);
    }

    @Managed(description = "Found results that were not what they should have been")
    @Cumulative
    public long getMismatches() {
        return gauge(BenefitStatistics::mismatches);
    }

    @Managed(description = "Results held")
    public long getEntries() {
        return gauge(BenefitStatistics::entries);
    }

    @Managed(description = "Bytes held")
    public long getBytes() {
        return gauge(BenefitStatistics::sizeBytes);
    }

    @Managed(description = "Bytes that may be held")
    public long getMaxBytes() {
        return cache.map(AggregateCache::maxBytes).orElse(0L);
    }
}
