package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * The encoders of a table's rows and keys, cached for each schema to which plans refer, because
 * their creation costs as much as a lookup. Thread-safe, except for the router, of which each
 * thread makes a copy.
 *
 * @param keys empty: the table has no primary key
 * @param distribution of the columns that choose the shard; empty: rows may go to any
 * @param router empty if {@code distribution} is empty
 */
record TableCodecs(
        RowLayout layout,
        Optional<KeyEncoder> keys,
        Optional<KeyEncoder> distribution,
        Optional<RowRouter> router) {
    /**
     * Keyed by identity, because a comparison of two schemas takes longer than this saves. No value
     * refers to its schema, so an entry is dropped with the last plan of its schema.
     */
    private static final LoadingCache<TableSchema, TableCodecs> MADE =
            Caffeine.newBuilder().weakKeys().build(TableCodecs::make);

    TableCodecs {
        requireNonNull(layout, "layout is null");
        requireNonNull(keys, "keys is null");
        requireNonNull(distribution, "distribution is null");
        requireNonNull(router, "router is null");
    }

    static TableCodecs of(TableSchema table) {
        return MADE.get(table);
    }

    private static TableCodecs make(TableSchema table) {
        boolean isDistributed = !table.distributionColumns().isEmpty();
        return new TableCodecs(
                RowLayout.of(table.columns()),
                table.hasPrimaryKey()
                        ? Optional.of(KeyEncoder.forPrimaryKey(table))
                        : Optional.empty(),
                isDistributed ? Optional.of(KeyEncoder.forDistribution(table)) : Optional.empty(),
                isDistributed ? Optional.of(RowRouter.of(table)) : Optional.empty());
    }
}
