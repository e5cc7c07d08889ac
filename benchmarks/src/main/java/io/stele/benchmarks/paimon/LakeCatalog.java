package io.stele.benchmarks.paimon;

import static io.trino.spi.transaction.IsolationLevel.READ_COMMITTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.stele.paimon.PaimonConnectorFactory;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.trino.spi.BlocksHashFactory;
import io.trino.spi.HostAddress;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;
import io.trino.spi.PageIndexerFactory;
import io.trino.spi.PageSorter;
import io.trino.spi.VersionEmbedder;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.connector.MetadataProvider;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.security.ConnectorIdentity;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.TimeZoneKey;
import io.trino.spi.type.TypeManager;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A catalog of {@code stele_paimon} in this process, called as Trino calls it for a query, with
 * caches of its own. Confined to one thread.
 */
final class LakeCatalog implements AutoCloseable {
    private static final int BATCH_SPLITS = 1_000;

    private final Connector connector;
    private final ConnectorSession session;

    private LakeCatalog(Connector connector) {
        this.connector = requireNonNull(connector, "connector is null");
        Map<String, Object> properties = new HashMap<>();
        for (PropertyMetadata<?> property : connector.getSessionProperties()) {
            properties.put(property.getName(), property.getDefaultValue());
        }
        session = new Session(properties);
    }

    /**
     * @param name of which there is one at a time; caches on disk are in a folder of this name
     */
    static LakeCatalog open(String name, Map<String, String> properties) {
        return new LakeCatalog(
                new PaimonConnectorFactory().create(name, properties, new Context()));
    }

    /** A query as it is planned. */
    record Scan(
            ConnectorTransactionHandle transaction,
            ConnectorTableHandle table,
            List<PaimonColumnHandle> columns,
            List<ConnectorSplit> splits) {
        Scan {
            requireNonNull(transaction, "transaction is null");
            requireNonNull(table, "table is null");
            columns = List.copyOf(requireNonNull(columns, "columns is null"));
            splits = List.copyOf(requireNonNull(splits, "splits is null"));
        }

        /** The same with other splits. */
        Scan with(List<ConnectorSplit> newSplits) {
            return new Scan(transaction, table, columns, newSplits);
        }
    }

    /**
     * From the name of a table to the last split, in a transaction of its own.
     *
     * @param equal the wanted values of columns
     */
    Scan plan(String schema, String name, Map<String, Object> equal) {
        ConnectorTransactionHandle transaction =
                connector.beginTransaction(READ_COMMITTED, true, true);
        ConnectorMetadata metadata = connector.getMetadata(session, transaction);
        ConnectorTableHandle table =
                requireNonNull(
                        metadata.getTableHandle(
                                session,
                                new SchemaTableName(schema, name),
                                Optional.empty(),
                                Optional.empty()));
        Map<String, ColumnHandle> columns = metadata.getColumnHandles(session, table);
        Map<ColumnHandle, Domain> domains = new HashMap<>();
        equal.forEach(
                (column, value) -> {
                    PaimonColumnHandle handle =
                            (PaimonColumnHandle) requireNonNull(columns.get(column));
                    domains.put(handle, Domain.singleValue(handle.type(), value));
                });
        if (!domains.isEmpty()) {
            table =
                    metadata.applyFilter(
                                    session,
                                    table,
                                    new Constraint(TupleDomain.withColumnDomains(domains)))
                            .orElseThrow()
                            .getHandle();
        }
        List<ConnectorSplit> splits = new ArrayList<>();
        try (ConnectorSplitSource source =
                connector
                        .getSplitManager()
                        .getSplits(
                                transaction, session, table, Set.of(), Constraint.alwaysTrue())) {
            while (!source.isFinished()) {
                splits.addAll(
                        source.getNextBatch(BATCH_SPLITS, DynamicFilterSnapshot.EMPTY).join());
            }
        }
        connector.commit(transaction);
        return new Scan(
                transaction,
                table,
                columns.values().stream().map(PaimonColumnHandle.class::cast).toList(),
                splits);
    }

    /**
     * Reads the rows whose first column, a number, has a value, and returns their second ones. Of
     * pages without such rows it loads no other column, as the engine does.
     */
    List<Long> find(Scan scan, long value) throws IOException {
        List<Long> result = new ArrayList<>();
        forEachPage(
                scan,
                page -> {
                    Block keys = page.getBlock(0);
                    for (int row = 0; row < page.getPositionCount(); row++) {
                        if (!keys.isNull(row) && BIGINT.getLong(keys, row) == value) {
                            load(page);
                            result.add(BIGINT.getLong(page.getBlock(1), row));
                        }
                    }
                });
        return result;
    }

    /** Reads all columns of all rows and returns the number of rows. */
    long scan(Scan scan) throws IOException {
        long[] rows = new long[1];
        forEachPage(
                scan,
                page -> {
                    load(page);
                    rows[0] += page.getPositionCount();
                });
        return rows[0];
    }

    private static void load(SourcePage page) {
        for (int column = 0; column < page.getChannelCount(); column++) {
            page.getBlock(column);
        }
    }

    private interface PageUse {
        void use(SourcePage page);
    }

    private void forEachPage(Scan scan, PageUse use) throws IOException {
        for (ConnectorSplit split : scan.splits()) {
            try (ConnectorPageSource pages =
                    connector
                            .getPageSourceProvider()
                            .createPageSource(
                                    scan.transaction(),
                                    session,
                                    split,
                                    scan.table(),
                                    Optional.empty(),
                                    List.copyOf(scan.columns()),
                                    DynamicFilter.EMPTY)) {
                while (!pages.isFinished()) {
                    pages.isBlocked().join();
                    SourcePage page = pages.getNextSourcePage();
                    if (page != null) {
                        use.use(page);
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        connector.shutdown();
    }

    private static final class Context implements ConnectorContext {
        @Override
        public OpenTelemetry getOpenTelemetry() {
            return OpenTelemetry.noop();
        }

        @Override
        public Tracer getTracer() {
            return getOpenTelemetry().getTracer("benchmark");
        }

        @Override
        public Node getCurrentNode() {
            return new LoneNode();
        }

        @Override
        public NodeManager getNodeManager() {
            return unused(NodeManager.class);
        }

        @Override
        public VersionEmbedder getVersionEmbedder() {
            return unused(VersionEmbedder.class);
        }

        @Override
        public TypeManager getTypeManager() {
            return unused(TypeManager.class);
        }

        @Override
        public MetadataProvider getMetadataProvider() {
            return unused(MetadataProvider.class);
        }

        @Override
        public PageSorter getPageSorter() {
            return unused(PageSorter.class);
        }

        @Override
        public PageIndexerFactory getPageIndexerFactory() {
            return unused(PageIndexerFactory.class);
        }

        @Override
        public BlocksHashFactory getBlocksHashFactory() {
            return unused(BlocksHashFactory.class);
        }

        /** A part of Trino that this connector must not use. */
        private static <T> T unused(Class<T> type) {
            return type.cast(
                    Proxy.newProxyInstance(
                            type.getClassLoader(),
                            new Class<?>[] {type},
                            (proxy, method, arguments) -> {
                                if (method.getDeclaringClass() == Object.class) {
                                    return method.invoke(type, arguments);
                                }
                                throw new UnsupportedOperationException(method.toString());
                            }));
        }
    }

    private record LoneNode() implements Node {
        @Override
        public String getHost() {
            return "localhost";
        }

        @Override
        public HostAddress getHostAndPort() {
            return HostAddress.fromParts(getHost(), 1);
        }

        @Override
        public String getNodeIdentifier() {
            return "benchmark";
        }

        @Override
        public String getVersion() {
            return "benchmark";
        }

        @Override
        public boolean isCoordinator() {
            return true;
        }
    }

    private record Session(Map<String, Object> properties) implements ConnectorSession {
        @Override
        public String getQueryId() {
            return "benchmark";
        }

        @Override
        public Optional<String> getSource() {
            return Optional.empty();
        }

        @Override
        public ConnectorIdentity getIdentity() {
            return ConnectorIdentity.ofUser("benchmark");
        }

        @Override
        public TimeZoneKey getTimeZoneKey() {
            return TimeZoneKey.UTC_KEY;
        }

        @Override
        public Locale getLocale() {
            return Locale.ROOT;
        }

        @Override
        public Optional<String> getTraceToken() {
            return Optional.empty();
        }

        @Override
        public Instant getStart() {
            return Instant.EPOCH;
        }

        @Override
        public <T> T getProperty(String name, Class<T> type) {
            return requireNonNull(type.cast(properties.get(name)), name);
        }
    }
}
