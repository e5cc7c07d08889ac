package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.shard.write.DuplicateKey;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The keys of files in one shard that a transaction inserts, with the LSN up to which they are
 * known to have no row. Each search begins there. One thread at a time uses it; blocks.
 */
public final class InsertedKeys {
    private final Map<TableId, InsertedTableKeys> byTable;
    private final Map<TableId, TableSchema> schemas;
    private long sinceLsn = -1; // nothing was searched

    private InsertedKeys(
            Map<TableId, InsertedTableKeys> byTable, Map<TableId, TableSchema> schemas) {
        this.byTable = requireNonNull(byTable, "byTable is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    /**
     * Opens the files of tables with a primary key.
     *
     * @param maxKeys whose hashes are in memory at a time
     * @param goOn called now and then; throws when the search is useless
     */
    public static InsertedKeys open(
            TableFiles files,
            Function<TableId, TableShard> tables,
            List<FileEntry> entries,
            int maxKeys,
            Runnable goOn)
            throws IOException {
        Map<TableId, List<ColumnFile>> columns = new LinkedHashMap<>();
        Map<TableId, List<SstFile>> sorted = new LinkedHashMap<>();
        Map<TableId, TableSchema> schemas = new LinkedHashMap<>();
        for (FileEntry entry : entries) {
            TableShard table = tables.apply(entry.tableId());
            if (table.schema().hasPrimaryKey()) {
                schemas.put(entry.tableId(), table.schema());
                FileEntry readable = entry.withIngest(Lsn.MIN, OptionalLong.empty());
                if (entry.kind() == FileKind.ROW) {
                    sorted.computeIfAbsent(entry.tableId(), _ -> new ArrayList<>())
                            .add(files.lazyRow(readable, table.announced()));
                } else {
                    columns.computeIfAbsent(entry.tableId(), _ -> new ArrayList<>())
                            .add(files.openColumn(readable, table.announced()));
                }
            }
        }
        Map<TableId, InsertedTableKeys> byTable = new LinkedHashMap<>();
        columns.forEach(
                (id, ofTable) -> byTable.put(id, new NewKeys(files, ofTable, maxKeys, goOn)));
        sorted.forEach((id, ofTable) -> byTable.put(id, new NewSortedKeys(files, ofTable, goOn)));
        return new InsertedKeys(byTable, schemas);
    }

    /** DUPLICATE_KEY, if a key comes twice. */
    public Optional<SteleException> findTwice() throws IOException {
        for (Map.Entry<TableId, InsertedTableKeys> table : byTable.entrySet()) {
            Optional<byte[]> key = table.getValue().findTwice();
            if (key.isPresent()) {
                return refusal(table.getKey(), key.get());
            }
        }
        return Optional.empty();
    }

    private Optional<SteleException> refusal(TableId id, byte[] key) {
        return Optional.of(DuplicateKey.refusal(requireNonNull(schemas.get(id)), key));
    }

    /** Whether a table has changed since the last search. */
    public boolean isBehind(Function<TableId, TableShard> tables) {
        return byTable.keySet().stream().anyMatch(id -> hasChanged(tables.apply(id)));
    }

    private boolean hasChanged(TableShard table) {
        return table.changedLsn() > sinceLsn;
    }

    /**
     * DUPLICATE_KEY, if a key has a row that the last search did not see.
     *
     * @param appliedLsn all changes at or below are in the tables, and need no search any more
     * @param firstVisibleLsn rows below have expired
     */
    public Optional<SteleException> findPresent(
            Function<TableId, TableShard> tables,
            Lsn appliedLsn,
            ToLongFunction<TableSchema> firstVisibleLsn)
            throws IOException {
        for (Map.Entry<TableId, InsertedTableKeys> keys : byTable.entrySet()) {
            TableShard table = tables.apply(keys.getKey());
            if (!hasChanged(table)) {
                continue;
            }
            Optional<byte[]> key =
                    keys.getValue()
                            .findPresent(
                                    table.view(),
                                    Math.max(sinceLsn, 0),
                                    firstVisibleLsn.applyAsLong(table.schema()));
            if (key.isPresent()) {
                return refusal(keys.getKey(), key.get());
            }
        }
        sinceLsn = Math.max(sinceLsn, appliedLsn.value());
        return Optional.empty();
    }
}
