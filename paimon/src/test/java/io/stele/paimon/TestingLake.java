package io.stele.paimon;

import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.ToIntFunction;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/** A lake in a folder that Paimon's own library writes, and reads as the oracle. */
public final class TestingLake implements AutoCloseable {
    private final Catalog catalog;
    private final Path folder;
    private long commits;

    /** Opens or creates the lake in a folder. */
    public TestingLake(Path folder) {
        this.folder = folder;
        Options options = new Options();
        options.set("warehouse", folder.toString());
        // Others write the lake as well, so that nothing is remembered
        options.set("cache-enabled", "false");
        catalog = CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    /**
     * The lake of a catalog, which the caller closes.
     *
     * @param scratch where what is written may be sorted
     */
    public TestingLake(Catalog catalog, Path scratch) {
        this.catalog = catalog;
        this.folder = scratch;
    }

    /** The catalog of Paimon. */
    public Catalog catalog() {
        return catalog;
    }

    /** Creates a table. */
    public FileStoreTable create(String database, String table, Schema schema) throws Exception {
        catalog.createDatabase(database, true);
        catalog.createTable(Identifier.create(database, table), schema, false);
        return table(database, table);
    }

    /** A table as it is now. */
    public FileStoreTable table(String database, String table) throws Exception {
        return (FileStoreTable) catalog.getTable(Identifier.create(database, table));
    }

    /**
     * Writes rows in one commit.
     *
     * @param compact also compacts the buckets that were written, whole
     */
    public void write(FileStoreTable table, List<? extends InternalRow> rows, boolean compact)
            throws Exception {
        write(table, rows, null, compact);
    }

    /**
     * The same into chosen buckets, as writers of tables with dynamic buckets do.
     *
     * @param buckets null: as the table's hash says
     */
    public void write(
            FileStoreTable table,
            List<? extends InternalRow> rows,
            @Nullable ToIntFunction<InternalRow> buckets,
            boolean compact)
            throws Exception {
        long id = ++commits;
        // One user for each commit: the ids of several instances are not in one order
        String user = UUID.randomUUID().toString();
        try (TableWriteImpl<?> write = table.newWrite(user);
                TableCommitImpl commit = table.newCommit(user);
                IOManager disk = IOManager.create(folder.resolve(".spill").toString())) {
            write.withIOManager(disk);
            for (InternalRow row : rows) {
                if (buckets == null) {
                    write.write(row);
                } else {
                    write.write(row, buckets.applyAsInt(row));
                }
            }
            if (compact) {
                for (InternalRow row : rows) {
                    write.compact(
                            write.getPartition(row).copy(),
                            buckets == null ? write.getBucket(row) : buckets.applyAsInt(row),
                            true);
                }
            }
            commit.commit(id, write.prepareCommit(true, id));
        }
    }

    /** Replaces the partitions of the rows, or all if there are none. */
    public void overwrite(FileStoreTable table, List<? extends InternalRow> rows) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder().withOverwrite();
        try (var write = builder.newWrite();
                var commit = builder.newCommit();
                IOManager disk = IOManager.create(folder.resolve(".spill").toString())) {
            write.withIOManager(disk);
            for (InternalRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** The rows of a table as Paimon reads them, in canonical texts by column; in no order. */
    public static List<String> rows(Table table) throws Exception {
        return rows(table, table.rowType());
    }

    /** The same of some columns. */
    public static List<String> rows(Table table, RowType columns) throws Exception {
        ReadBuilder builder = table.newReadBuilder().withReadType(columns);
        List<String> result = new ArrayList<>();
        try (RecordReader<InternalRow> reader =
                builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> result.add(text(row, columns)));
        }
        return result;
    }

    private static String text(InternalRow row, RowType type) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataType field = type.getTypeAt(i);
            values.add(value(field, InternalRow.createFieldGetter(field, i).getFieldOrNull(row)));
        }
        return Texts.of(values);
    }

    /** A value of Paimon as Trino's results have it. */
    static @Nullable Object value(DataType type, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case CHAR, VARCHAR -> value.toString();
            case DECIMAL -> ((Decimal) value).toBigDecimal();
            case DATE -> LocalDate.ofEpochDay((int) value);
            case TIME_WITHOUT_TIME_ZONE -> LocalTime.ofNanoOfDay((int) value * 1_000_000L);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> ((Timestamp) value).toLocalDateTime();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    ((Timestamp) value).toLocalDateTime().atOffset(ZoneOffset.UTC).toInstant();
            case ARRAY -> list(((ArrayType) type).getElementType(), (InternalArray) value);
            case MAP ->
                    map(
                            ((MapType) type).getKeyType(),
                            ((MapType) type).getValueType(),
                            (InternalMap) value);
            case MULTISET ->
                    map(
                            ((MultisetType) type).getElementType(),
                            DataTypes.INT(),
                            (InternalMap) value);
            case ROW -> fields((RowType) type, (InternalRow) value);
            default -> value;
        };
    }

    private static List<@Nullable Object> list(DataType type, InternalArray array) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        List<@Nullable Object> result = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            result.add(value(type, getter.getElementOrNull(array, i)));
        }
        return result;
    }

    private static Map<@Nullable Object, @Nullable Object> map(
            DataType keyType, DataType valueType, InternalMap map) {
        List<@Nullable Object> keys = list(keyType, map.keyArray());
        List<@Nullable Object> values = list(valueType, map.valueArray());
        Map<@Nullable Object, @Nullable Object> result = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            result.put(keys.get(i), values.get(i));
        }
        return result;
    }

    private static List<@Nullable Object> fields(RowType type, InternalRow row) {
        List<@Nullable Object> result = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataField field = type.getFields().get(i);
            result.add(
                    value(
                            field.type(),
                            InternalRow.createFieldGetter(field.type(), i).getFieldOrNull(row)));
        }
        return result;
    }

    /** A text of Paimon. */
    public static BinaryString text(String value) {
        return BinaryString.fromString(value);
    }

    /** A moment of Paimon. */
    public static Timestamp timestamp(Instant value) {
        return Timestamp.fromInstant(value);
    }

    @Override
    public void close() throws Exception {
        catalog.close();
    }
}
