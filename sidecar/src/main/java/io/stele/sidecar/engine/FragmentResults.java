package io.stele.sidecar.engine;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.cache.BenefitCacheOptions;
import io.stele.cache.BenefitStatistics;
import io.stele.protocol.api.FragmentCacheUse;
import io.stele.scheduler.BlockingPool;
import io.stele.storage.aggregate.FragmentCache;
import io.stele.storage.aggregate.FragmentLog;
import io.stele.storage.encryption.EncryptionConfig;
import io.stele.storage.metrics.Cumulative;
import jakarta.annotation.PreDestroy;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/** The sidecar's cache of fragment results, if it has one, and what it does. Thread safe. */
public final class FragmentResults implements Closeable {
    private static final Logger log = Logger.get(FragmentResults.class);

    /** Results that wait to be written; others are computed again after a restart. */
    private static final int MAX_WAITING_WRITES = 1_000;

    private final Optional<FragmentCache> cache;
    private final BlockingPool writes =
            new BlockingPool(
                    1,
                    MAX_WAITING_WRITES,
                    Thread.ofVirtual().name("fragment-write-", 0).factory(),
                    failure -> log.error(failure, "A write of a fragment result failed"));
    private Optional<FragmentLog> kept = Optional.empty();

    /**
     * @throws UncheckedIOException if the directory is in use, or cannot be read
     */
    @Inject
    public FragmentResults(FragmentCacheConfig config, EncryptionConfig encryption) {
        this.cache =
                config.isEnabled()
                        ? Optional.of(
                                new FragmentCache(
                                        options(config),
                                        System::nanoTime,
                                        mismatch -> log.error("%s", mismatch)))
                        : Optional.empty();
        if (cache.isPresent() && config.getDirectory().isPresent()) {
            checkArgument(
                    encryption.getMasterKeys().isEmpty()
                            && encryption.getMasterKeyFile().isEmpty()
                            && encryption.getMasterKeyCommand().isEmpty(),
                    "Expected no stele.fragment-cache.directory in a sidecar with encryption at rest: results there are not encrypted");
            kept = Optional.of(open(config, cache.get()));
        }
    }

    private FragmentLog open(FragmentCacheConfig config, FragmentCache target) {
        try {
            FragmentLog opened =
                    FragmentLog.open(
                            config.getDirectory().orElseThrow().toPath(),
                            config.getMaxDiskSize().toBytes(),
                            writes::execute,
                            damage -> log.warn("%s", damage),
                            target::restore);
            target.keepIn(opened);
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the writes. */
    @Override
    @PreDestroy
    public void close() throws IOException {
        writes.close();
        if (kept.isPresent()) {
            kept.get().close();
        }
    }

    private static BenefitCacheOptions options(FragmentCacheConfig config) {
        return BenefitCacheOptions.of(
                config.getMaxMemorySize().toBytes(),
                config.getMaxResultSize().toBytes(),
                config.getVerifyShare());
    }

    /** The cache; empty where it is switched off. */
    public Optional<FragmentCache> cache() {
        return cache;
    }

    /**
     * What it did and holds: all of it, then each table's part; none where it is switched off.
     *
     * @param names of tables by the text of their ids; empty where a table is gone
     */
    public List<FragmentCacheUse> uses(Function<String, Optional<String>> names) {
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
        return cache.map(FragmentCache::maxBytes).orElse(0L);
    }
}
