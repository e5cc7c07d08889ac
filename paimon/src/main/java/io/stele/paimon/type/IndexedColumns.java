package io.stele.paimon.type;

import static java.util.stream.Collectors.toMap;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.trino.spi.predicate.TupleDomain;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.fileindex.FileIndexOptions;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.TimestampType;

/**
 * The choice of a constraint's columns that Paimon's indexes of a data file can answer. Stateless.
 *
 * <p>Left out are columns whose type was altered, and moments with more than six digits, of which
 * bitmaps have six.
 */
public final class IndexedColumns {
    private static final int INDEXED_DIGITS = 6;

    private IndexedColumns() {}

    /**
     * The part of a constraint on columns with an index by the options of the file's schema, or of
     * the present one, since indexes are also added to files later.
     */
    public static TupleDomain<PaimonColumnHandle> select(
            TupleDomain<PaimonColumnHandle> constraint,
            TableSchema fileSchema,
            TableSchema readSchema) {
        Set<String> names = names(fileSchema);
        names.addAll(names(readSchema));
        if (names.isEmpty() || constraint.isNone()) {
            return TupleDomain.all();
        }
        Map<Integer, DataField> written = byId(fileSchema);
        Map<Integer, DataField> present = byId(readSchema);
        return constraint.filter(
                (column, domain) -> {
                    DataField file = written.get(column.id());
                    DataField wanted = present.get(column.id());
                    return file != null
                            && wanted != null
                            && names.contains(file.name())
                            && FileDomains.isAlike(file.type(), wanted.type())
                            && isExact(file.type());
                });
    }

    /**
     * Whether Paimon's own code may look at the indexes of a table's files: it does so with any
     * predicate, so that they must be exact for all columns.
     */
    public static boolean mayPaimonRead(FileStoreTable table) {
        return table.coreOptions().fileIndexReadEnabled()
                && table.schema().fields().stream().allMatch(field -> isExact(field.type()));
    }

    /** Names of columns of both schemas; a column may have been renamed in between. */
    private static Set<String> names(TableSchema schema) {
        Set<String> names = new HashSet<>();
        FileIndexOptions options = new CoreOptions(schema.options()).indexColumnsOptions();
        options.entrySet().forEach(entry -> names.add(entry.getKey().getColumnName()));
        return names;
    }

    private static Map<Integer, DataField> byId(TableSchema schema) {
        return schema.fields().stream().collect(toMap(DataField::id, field -> field));
    }

    private static boolean isExact(DataType type) {
        if (type instanceof TimestampType timestamp) {
            return timestamp.getPrecision() <= INDEXED_DIGITS;
        }
        if (type instanceof LocalZonedTimestampType moment) {
            return moment.getPrecision() <= INDEXED_DIGITS;
        }
        return !type.is(DataTypeRoot.TIME_WITHOUT_TIME_ZONE);
    }
}
