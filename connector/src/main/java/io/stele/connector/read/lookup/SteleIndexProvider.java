package io.stele.connector.read.lookup;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleIndexHandle;
import io.stele.connector.read.live.LivePageSources;
import io.stele.connector.type.TrinoTypes;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorIndex;
import io.trino.spi.connector.ConnectorIndexHandle;
import io.trino.spi.connector.ConnectorIndexProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.List;

/**
 * A provider of lookups in the inner side of Trino's index joins, by streams from the sidecar.
 * Thread-safe.
 */
public final class SteleIndexProvider implements ConnectorIndexProvider {
    private final LivePageSources pageSources;
    private final TrinoTypes types;
    private final long timeoutMillis;

    @Inject
    public SteleIndexProvider(LivePageSources pageSources, TrinoTypes types, SteleConfig config) {
        this.pageSources = requireNonNull(pageSources, "pageSources is null");
        this.types = requireNonNull(types, "types is null");
        this.timeoutMillis = config.getRequestTimeout().toMillis();
    }

    @Override
    public ConnectorIndex getIndex(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorIndexHandle indexHandle,
            List<ColumnHandle> lookupSchema,
            List<ColumnHandle> outputSchema) {
        SteleIndexHandle index = (SteleIndexHandle) indexHandle;
        List<SteleColumnHandle> joined =
                lookupSchema.stream().map(SteleColumnHandle.class::cast).toList();
        List<SteleColumnHandle> wanted =
                outputSchema.stream().map(SteleColumnHandle.class::cast).toList();
        return keys ->
                new IndexPageSource(
                        new JoinKeys(index, joined, keys.cursor(), types),
                        batch -> pageSources.lookUp(session, index.table(), wanted, batch),
                        timeoutMillis);
    }
}
