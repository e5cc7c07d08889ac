package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonMergeHandle;
import io.stele.paimon.handle.PaimonWriteHandle;
import io.stele.paimon.table.LakeTables;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.table.FileStoreTable;

/**
 * The connector's page sink provider on workers, for INSERT, CREATE TABLE AS, UPDATE, DELETE and
 * MERGE. Thread-safe.
 */
public final class PaimonPageSinks implements ConnectorPageSinkProvider {
    private final LakeTables tables;
    private final SpillFolder spill;
    private final long maxBufferBytes;

    @Inject
    public PaimonPageSinks(LakeTables tables, SpillFolder spill, PaimonConfig config) {
        this.tables = requireNonNull(tables, "tables is null");
        this.spill = requireNonNull(spill, "spill is null");
        this.maxBufferBytes = config.getWriteBufferSize().toBytes();
    }

    @Override
    public ConnectorPageSink createPageSink(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorOutputTableHandle table,
            Optional<ConnectorTableCredentials> credentials,
            ConnectorPageSinkId id) {
        return sink((PaimonWriteHandle) table);
    }

    @Override
    public ConnectorPageSink createPageSink(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorInsertTableHandle table,
            Optional<ConnectorTableCredentials> credentials,
            ConnectorPageSinkId id) {
        return sink((PaimonWriteHandle) table);
    }

    @Override
    public ConnectorMergeSink createMergeSink(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorMergeTableHandle merge,
            Optional<ConnectorTableCredentials> credentials,
            ConnectorPageSinkId id) {
        PaimonMergeHandle handle = (PaimonMergeHandle) merge;
        PaimonWriteHandle write = handle.write();
        FileStoreTable table = tables.table(write.table());
        return new PaimonMergeSink(
                write.table().name(),
                table.rowType(),
                writer(write, table),
                new RowChangeRules(write.table().name(), table),
                handle.updated(),
                channels(write, table),
                MergeRowIds.channels(table),
                write.columns().size(),
                table.coreOptions().pageSize());
    }

    private PaimonPageSink sink(PaimonWriteHandle write) {
        FileStoreTable table = tables.table(write.table());
        return new PaimonPageSink(
                write.table().name(),
                writer(write, table),
                new PageRow(table.rowType()),
                channels(write, table));
    }

    private PaimonTableWriter writer(PaimonWriteHandle write, FileStoreTable table) {
        IOManager disk = spill.open();
        try {
            return new PaimonTableWriter(
                    table, write.commitUser(), write.overwrite(), disk, maxBufferBytes);
        } catch (RuntimeException e) {
            WriteFailures.run(
                    write.table().name(),
                    () -> {
                        disk.close();
                        return disk;
                    });
            throw e;
        }
    }

    private static int[] channels(PaimonWriteHandle write, FileStoreTable table) {
        List<Integer> ids = write.columns().stream().map(PaimonColumnHandle::id).toList();
        return MergeRowIds.channels(table.rowType().getFields(), ids);
    }
}
