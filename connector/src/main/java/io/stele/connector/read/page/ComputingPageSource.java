package io.stele.connector.read.page;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.aggregate.ScalarExpression;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page source that adds pushed-down expressions, computed on demand, to the columns of another
 * source. Confined to one driver.
 */
public final class ComputingPageSource extends ForwardingPageSource {
    private final List<ScanChannel> channels;

    private ComputingPageSource(ConnectorPageSource source, List<ScanChannel> channels) {
        super(source);
        this.channels = List.copyOf(channels);
    }

    /** Whether any of the columns is the value of an expression. */
    public static boolean isNeeded(SteleTableHandle table, List<SteleColumnHandle> wanted) {
        return wanted.stream()
                .anyMatch(column -> table.outputs().expression(column.id()).isPresent());
    }

    /** The columns that the other source must have. */
    public static List<SteleColumnHandle> columns(
            SteleTableHandle table, List<SteleColumnHandle> wanted, TrinoTypes types) {
        List<SteleColumnHandle> columns = new ArrayList<>();
        for (SteleColumnHandle column : wanted) {
            Optional<ScalarExpression> expression = table.outputs().expression(column.id());
            if (expression.isEmpty()) {
                add(columns, column);
                continue;
            }
            for (int id : expression.get().columnIds()) {
                add(
                        columns,
                        new SteleColumnHandle(
                                id,
                                table.table().column(id).name(),
                                types.toTrino(table.table().column(id).type())));
            }
        }
        return columns;
    }

    private static void add(List<SteleColumnHandle> columns, SteleColumnHandle column) {
        if (!columns.contains(column)) {
            columns.add(column);
        }
    }

    /**
     * The wanted columns.
     *
     * @param columns of the source
     */
    public static ConnectorPageSource of(
            SteleTableHandle table,
            ConnectorPageSource source,
            List<SteleColumnHandle> columns,
            List<SteleColumnHandle> wanted,
            TrinoTypes types) {
        List<Integer> ids = columns.stream().map(SteleColumnHandle::id).toList();
        List<ScanChannel> channels = new ArrayList<>();
        for (SteleColumnHandle column : wanted) {
            Optional<ScalarExpression> expression = table.outputs().expression(column.id());
            channels.add(
                    expression.isPresent()
                            ? new ScanChannel.Computed(
                                    new BlockExpression(
                                            expression.get(), ids::indexOf, types::toTrino))
                            : new ScanChannel.Direct(columns.indexOf(column)));
        }
        return new ComputingPageSource(source, channels);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        SourcePage page = source().getNextSourcePage();
        return page == null ? null : new ChannelSourcePage(page, channels);
    }
}
