package io.stele.connector.handle;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.SortOrder;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The part of a table handle that describes a top-N pushed down to a scan: the first {@code count}
 * rows in an order of columns.
 *
 * @param count how many
 * @param items the columns that order them, the most important one first
 */
public record SteleTopN(long count, List<Item> items) {
    public SteleTopN {
        checkArgument(count >= 0, "count must be >= 0: %s", count);
        checkArgument(!items.isEmpty(), "items is empty");
        items = List.copyOf(items);
    }

    /** A column and its direction. */
    public record Item(SteleColumnHandle column, SortOrder order) {
        public Item {
            requireNonNull(column, "column is null");
            requireNonNull(order, "order is null");
        }

        @Override
        public String toString() {
            return column.name() + " " + order.name().replace('_', ' ');
        }
    }

    /** Whether rows that are sorted by some columns, nulls last, are in this order. */
    public boolean isOrderOf(List<Integer> sortKey) {
        if (items.size() > sortKey.size()) {
            return false;
        }
        for (int index = 0; index < items.size(); index++) {
            Item item = items.get(index);
            if (item.column.isField()
                    || item.column.id() != sortKey.get(index)
                    || item.order != SortOrder.ASC_NULLS_LAST) {
                return false;
            }
        }
        return true;
    }

    /** The columns that rows of a column file are sorted by; empty: by none. */
    public static List<Integer> sortKey(TableSchema table) {
        return table.clusteringKey().isEmpty() ? table.primaryKey() : table.clusteringKey();
    }

    @Override
    public String toString() {
        return items.stream()
                .map(Item::toString)
                .collect(Collectors.joining(", ", "[" + count + " by ", "]"));
    }
}
