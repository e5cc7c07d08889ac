package io.stele.connector.read.prune;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.type.KeyRows;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * A pruner of shards for scan planning, by the distribution keys that a constraint lists. It
 * selects the shards that can hold rows of the constraint. Stateless.
 */
public final class ShardPruning {
    /** Longer lists of keys reach every shard of most tables anyway. */
    private static final int MAX_KEYS = 1_000;

    private final TrinoTypes types;

    @Inject
    public ShardPruning(TrinoTypes types) {
        this.types = requireNonNull(types, "types is null");
    }

    /** A test of whether a shard, by its index, has to be read. */
    public IntPredicate wanted(TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        List<ColumnSchema> columns = table.distributionColumns();
        if (columns.isEmpty() || constraint.isAll()) {
            return _ -> true;
        }
        List<List<Block>> values = new ArrayList<>();
        long combinations = 1;
        for (ColumnSchema column : columns) {
            Optional<List<Block>> found = values(constraint, column);
            if (found.isEmpty()) {
                return _ -> true;
            }
            combinations *= found.get().size();
            if (combinations > MAX_KEYS) {
                return _ -> true;
            }
            values.add(found.get());
        }
        Set<Integer> shards = new HashSet<>();
        KeyRows keys = new KeyRows(distributionTable(table), columns, types);
        collect(keys, values, new Block[columns.size()], 0, shards);
        return shards::contains;
    }

    private static void collect(
            KeyRows keys, List<List<Block>> values, Block[] row, int column, Set<Integer> shards) {
        if (column == row.length) {
            try {
                keys.read(row, 0);
                shards.add(keys.shard());
            } catch (SteleException e) {
                if (e.code() != ErrorCode.KEY_TOO_LARGE && e.code() != ErrorCode.ROW_TOO_LARGE) {
                    throw SteleErrors.translate(e);
                } // else no row has such a key
            }
            return;
        }
        for (Block value : values.get(column)) {
            row[column] = value;
            collect(keys, values, row, column + 1, shards);
        }
    }

    /**
     * The values that a column may have, as blocks of one position; empty where they are not a
     * list.
     */
    private Optional<List<Block>> values(
            TupleDomain<SteleColumnHandle> constraint, ColumnSchema column) {
        SteleColumnHandle key =
                new SteleColumnHandle(column.id(), column.name(), types.toTrino(column.type()));
        Domain domain = constraint.getDomains().orElseThrow().get(key);
        if (domain == null) {
            return Optional.empty();
        }
        // Trino joins neighbours: IN (1, 2, 3) is a range
        Optional<Collection<Object>> listed = domain.getValues().tryExpandRanges(MAX_KEYS);
        if (listed.isEmpty()) {
            return Optional.empty();
        }
        List<Block> values = new ArrayList<>();
        for (Object value : listed.get()) {
            values.add(TypeUtils.writeNativeValue(key.type(), value));
        }
        if (domain.isNullAllowed() && column.nullable()) {
            values.add(TypeUtils.writeNativeValue(key.type(), null));
        }
        return Optional.of(values);
    }

    /**
     * The table with its distribution columns only: a key whose other columns are not bound has a
     * shard too.
     */
    public static TableSchema distributionTable(TableSchema table) {
        List<Integer> ids = table.distributionColumns().stream().map(ColumnSchema::id).toList();
        return table.narrowedTo(table.distributionColumns())
                .primaryKey(table.hasPrimaryKey() ? ids : List.of())
                .distributionKey(ids)
                .build();
    }
}
