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
 * What encodes the rows and keys of a table, made once for each schema that plans refer to. To make
 * it costs as much as a lookup. Thread-safe but for the router, of which each thread takes a copy.
 *
 * @param keys empty: the table has no primary key
 * @param distribution of the columns that choose the shard; empty: rows may go to any
 * @param router empty as well
 */
record TableCodecs(
        RowLayout layout,
        Optional<KeyEncoder> keys,
        Optional<KeyEncoder> distribution,
        Optional<RowRouter> router) {
    /**
     * By identity, since to compare two schemas takes longer than this saves. Nothing in a value
     * refers to its schema, so an entry goes when the last plan of the schema does.
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
