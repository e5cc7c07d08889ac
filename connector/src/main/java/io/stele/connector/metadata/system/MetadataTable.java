package io.stele.connector.metadata.system;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A base class of system tables with few rows, which the coordinator makes at each query: {@code
 * "t$name"} beside a table, or in the schema {@code system}.
 */
abstract class MetadataTable implements SystemTable {
    private final ConnectorTableMetadata metadata;
    private final List<Type> types;

    MetadataTable(SchemaTableName name, List<ColumnMetadata> columns) {
        this.metadata = new ConnectorTableMetadata(name, columns);
        this.types =
                columns.stream()
                        .map(ColumnMetadata::getType)
                        .collect(ImmutableList.toImmutableList());
    }

    @Override
    public final Distribution getDistribution() {
        return Distribution.SINGLE_COORDINATOR;
    }

    @Override
    public final ConnectorTableMetadata getTableMetadata() {
        return metadata;
    }

    @Override
    public final ConnectorPageSource pageSource(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        Rows rows = new Rows(types);
        addRows(rows);
        return new FixedPageSource(rows.pages());
    }

    /** Adds the rows as they are now. */
    abstract void addRows(Rows rows);

    /** A builder of pages from rows of native values. */
    static final class Rows {
        private final List<Type> types;
        private final PageBuilder page;
        private final ImmutableList.Builder<Page> pages = ImmutableList.builder();

        private Rows(List<Type> types) {
            this.types = requireNonNull(types, "types is null");
            this.page = new PageBuilder(types);
        }

        /** Adds a row, one native value of its type a column. */
        void add(@Nullable Object... values) {
            if (values.length != types.size()) {
                throw new IllegalArgumentException(
                        "Expected %d values, found %s"
                                .formatted(types.size(), Arrays.toString(values)));
            }
            page.declarePosition();
            for (int channel = 0; channel < values.length; channel++) {
                TypeUtils.writeNativeValue(
                        types.get(channel), page.getBlockBuilder(channel), values[channel]);
            }
            if (page.isFull()) {
                pages.add(page.build());
                page.reset();
            }
        }

        private List<Page> pages() {
            pages.add(page.build());
            return pages.build();
        }
    }
}
