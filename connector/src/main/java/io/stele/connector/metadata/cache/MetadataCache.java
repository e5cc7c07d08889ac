package io.stele.connector.metadata.cache;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.connector.config.MetadataCacheConfig;
import io.stele.connector.metadata.catalog.Relation;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The coordinator's cache of definitions and statistics of tables and views, shared by the queries
 * of a catalog. A query first receives all changes up to its start, with its snapshot or by a
 * request, so it finds nothing older. A missing entry is loaded once, also under concurrent
 * requests.
 *
 * <p>Invariant: an entry found was true at some moment after the last change received before the
 * call ({@link MetadataGenerations}). Thread-safe; no lock is held during a request to the sidecar.
 */
public final class MetadataCache {
    private final boolean enabled;
    private final long maxStalenessNanos;
    private final LongSupplier nanoTime;
    private final MetadataGenerations generations = new MetadataGenerations();
    private final SingleFlightCache<Key<SchemaTableName>, Relation> relations;
    private final SingleFlightCache<Key<String>, List<String>> schemas;
    private final SingleFlightCache<Key<Optional<String>>, List<SchemaTableName>> tables;
    private final SingleFlightCache<Key<Optional<String>>, List<ViewSchema>> views;
    private final MetadataCacheMetrics metrics = new MetadataCacheMetrics(this::statistics);

    @Inject
    public MetadataCache(MetadataCacheConfig config) {
        this(config, System::nanoTime);
    }

    MetadataCache(MetadataCacheConfig config, LongSupplier nanoTime) {
        this.enabled = config.isEnabled();
        this.maxStalenessNanos = config.getMaxStaleness().roundTo(TimeUnit.NANOSECONDS);
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        long maxBytes = config.getMaxSize().toBytes();
        long listBytes = maxBytes / 8;
        this.relations =
                new SingleFlightCache<>(
                        "metadata", maxBytes - 3 * listBytes, Relation::weightBytes);
        this.schemas = new SingleFlightCache<>("schemas", listBytes, list -> 100L * list.size());
        this.tables = new SingleFlightCache<>("tables", listBytes, list -> 200L * list.size());
        this.views =
                new SingleFlightCache<>(
                        "views",
                        listBytes,
                        list ->
                                list.stream()
                                        .mapToLong(view -> 500L + 2L * view.definition().length())
                                        .sum());
    }

    /** Whether it caches anything. */
    public boolean isEnabled() {
        return enabled;
    }

    /** The version up to which changes were received, for the next request. */
    public MetadataVersion version() {
        return generations.version();
    }

    /** Its counters and contents. */
    public MetadataCacheMetrics metrics() {
        return metrics;
    }

    /** The cached entry of a name, before a query's snapshot is opened. */
    public Look look(SchemaTableName name) {
        MetadataGenerations.Current current = generations.current(name);
        return new Look(
                name, current.version(), relations.peek(new Key<>(name, current.generation())));
    }

    /**
     * The cached entry of a name, to be confirmed.
     *
     * @param version as of which it is valid
     */
    public record Look(
            SchemaTableName name, MetadataVersion version, Optional<Relation> relation) {}

    /**
     * The relation of a query's first name, from the reply that opened its snapshot.
     *
     * @param sentNanos when the request was sent
     * @param reply the description, which the sidecar read after the changes; neither a table nor a
     *     view if the look was confirmed
     * @param confirmed whether the sidecar left out the description because it has not changed
     *     since the look
     */
    public Relation opened(
            Look look,
            long sentNanos,
            Optional<MetadataChanges> changes,
            RelationReply reply,
            boolean confirmed) {
        changes.ifPresent(heard -> apply(heard, sentNanos));
        if (confirmed && look.relation().isPresent()) {
            hit(look.relation().get());
            return look.relation().get();
        }
        metrics.missed();
        Relation relation = new Relation(reply);
        MetadataGenerations.Current current = generations.current(look.name());
        // If another query has received later changes, this description may be older than them
        if (changes.isPresent() && changes.get().version().equals(current.version())) {
            relations.put(new Key<>(look.name(), current.generation()), relation);
        }
        return relation;
    }

    /** Uses a cached entry that the caller has already received all changes for. */
    public Relation found(Relation relation) {
        hit(relation);
        metrics.spared();
        return relation;
    }

    /** The relation of a name, as of the last received change or later. */
    public Relation relation(SchemaTableName name, Supplier<RelationReply> loader) {
        boolean[] loaded = new boolean[1];
        Relation relation =
                relations.get(
                        new Key<>(name, generations.of(name)),
                        () -> {
                            loaded[0] = true;
                            return request(loader);
                        });
        if (loaded[0]) {
            metrics.missed();
            return relation;
        }
        return found(relation);
    }

    /** Loads the relation of a name, if it is not cached, before a query needs it. */
    void load(SchemaTableName name, Supplier<RelationReply> loader) {
        relations.get(new Key<>(name, generations.of(name)), () -> request(loader));
        metrics.reloaded();
    }

    private Relation request(Supplier<RelationReply> loader) {
        long start = nanoTime.getAsLong();
        Relation relation = new Relation(loader.get());
        metrics.requested(nanoTime.getAsLong() - start);
        return relation;
    }

    private void hit(Relation relation) {
        relation.markUsed();
        metrics.hit(
                TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - generations.heardNanos()),
                relation.weightBytes());
    }

    /** All schemas, as of the last received change or later. */
    public List<String> schemas(Supplier<List<String>> loader) {
        return schemas.get(new Key<>("", generations.ofLists()), loader::get);
    }

    /** The tables of a schema or of all schemas, as of the last received change or later. */
    public List<SchemaTableName> tables(
            Optional<String> schemaName, Supplier<List<SchemaTableName>> loader) {
        return tables.get(new Key<>(schemaName, generations.ofLists()), loader::get);
    }

    /** The views of a schema or of all schemas, as of the last received change or later. */
    public List<ViewSchema> views(Optional<String> schemaName, Supplier<List<ViewSchema>> loader) {
        return views.get(new Key<>(schemaName, generations.ofLists()), loader::get);
    }

    /** Whether a statement without a snapshot may use cached entries without a request. */
    public boolean isFreshEnough() {
        return maxStalenessNanos > 0
                && !version().equals(MetadataGenerations.UNKNOWN)
                && nanoTime.getAsLong() - generations.heardNanos() <= maxStalenessNanos;
    }

    /**
     * Applies changes.
     *
     * @param nanos a moment before the sidecar's reply, in nanoseconds of the cache's clock
     * @return names that queries used, and whose entries were dropped
     */
    public List<SchemaTableName> apply(MetadataChanges changes, long nanos) {
        List<SchemaTableName> wanted = new ArrayList<>();
        boolean all = generations.apply(changes, nanos, name -> drop(name, wanted));
        if (all) {
            metrics.forgotAll();
            forgetAll();
        }
        return wanted;
    }

    private void drop(SchemaTableName name, List<SchemaTableName> wanted) {
        Key<SchemaTableName> key = new Key<>(name, generations.of(name));
        Optional<Relation> cached = relations.peek(key);
        if (cached.isPresent()) {
            metrics.invalidated();
            if (cached.get().isUsed()) {
                wanted.add(name);
            }
            relations.remove(key);
        }
    }

    /** Drops all entries, as if everything had changed. */
    public void flush() {
        generations.endAll();
        forgetAll();
    }

    /** Drops the entries of a name, as if it had changed. */
    public void flush(SchemaTableName name) {
        long before = generations.of(name);
        generations.end(name);
        relations.remove(new Key<>(name, before));
    }

    private void forgetAll() {
        relations.removeIf(key -> true);
        schemas.removeIf(key -> true);
        tables.removeIf(key -> true);
        views.removeIf(key -> true);
    }

    private CacheStatistics statistics() {
        return relations.statistics();
    }

    private record Key<T>(T of, long generation) {
        Key {
            requireNonNull(of, "of is null");
        }
    }
}
