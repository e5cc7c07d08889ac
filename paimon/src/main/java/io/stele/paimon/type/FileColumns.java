package io.stele.paimon.type;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/**
 * The mapping of a scan's wanted columns to the columns of one data file, with the conversions of
 * their values. Immutable.
 *
 * @param stored the wanted columns that the file has
 * @param channels all wanted columns, in the order of the scan
 */
public record FileColumns(List<Stored> stored, List<Channel> channels) {
    /** The option of tables under which moments are stored by the writer's wall clock. */
    private static final String LEGACY_INSTANTS = "orc.timestamp-ltz.legacy.type";

    public FileColumns {
        stored = List.copyOf(requireNonNull(stored, "stored is null"));
        channels = List.copyOf(requireNonNull(channels, "channels is null"));
    }

    /**
     * A column that the file has.
     *
     * @param file its field in the schema of the file
     * @param wanted its type in the schema of the scan
     */
    public record Stored(
            PaimonColumnHandle column, DataField file, DataType wanted, StoredField values) {}

    /**
     * A wanted column.
     *
     * @param index in the stored columns; negative: the file does not have it, so all is null
     */
    public record Channel(PaimonColumnHandle column, int index) {}

    /**
     * The columns of a scan; empty: Paimon's reader must read the file, since it has values that
     * must be converted in ways that are not built here, or names that differ only in their
     * letters' case.
     *
     * @param format as Paimon names it, in lower case
     * @param file the schema that the file was written with
     * @param wanted the schema of the scan
     */
    public static Optional<FileColumns> find(
            String format, TableSchema file, TableSchema wanted, List<PaimonColumnHandle> columns) {
        Optional<FileFormat> found = FileFormat.find(format);
        if (found.isEmpty() || !hasClearNames(file.logicalRowType())) {
            return Optional.empty();
        }
        return find(evolution(found.get(), wanted), file, wanted, columns);
    }

    private static Optional<FileColumns> find(
            FieldEvolution evolution,
            TableSchema file,
            TableSchema wanted,
            List<PaimonColumnHandle> columns) {
        Map<Integer, DataField> written = byId(file);
        Map<Integer, DataField> present = byId(wanted);
        List<Stored> stored = new ArrayList<>();
        List<Channel> channels = new ArrayList<>();
        for (PaimonColumnHandle column : columns) {
            DataField field = present.get(column.id());
            if (field == null) {
                return Optional.empty();
            }
            DataField fileField = written.get(column.id());
            if (fileField == null) {
                channels.add(new Channel(column, -1));
                continue;
            }
            Optional<StoredField> values = evolution.find(fileField.type(), field.type());
            if (values.isEmpty()) {
                return Optional.empty();
            }
            channels.add(new Channel(column, stored.size()));
            stored.add(new Stored(column, fileField, field.type(), values.get()));
        }
        return Optional.of(new FileColumns(stored, channels));
    }

    /**
     * The time zone of the wall clock by which the table's moments are stored; empty: they are
     * stored as they are.
     */
    static Optional<TimeZone> wallClock(FileFormat format, TableSchema table) {
        boolean isLegacy =
                format == FileFormat.ORC
                        && Boolean.parseBoolean(
                                table.options().getOrDefault(LEGACY_INSTANTS, "true"));
        // The zone of the process, as in Paimon's reader
        TimeZone zone = TimeZone.getDefault();
        return isLegacy && !zone.hasSameRules(TimeZone.getTimeZone("UTC"))
                ? Optional.of(zone)
                : Optional.empty();
    }

    private static FieldEvolution evolution(FileFormat format, TableSchema table) {
        return new FieldEvolution(format, wallClock(format, table));
    }

    private static Map<Integer, DataField> byId(TableSchema schema) {
        Map<Integer, DataField> fields = new HashMap<>();
        schema.fields().forEach(field -> fields.put(field.id(), field));
        return fields;
    }

    /**
     * Whether no two names differ only by case; readers of both formats compare names without
     * regard to case.
     */
    private static boolean hasClearNames(DataType type) {
        return switch (type) {
            case RowType row -> {
                Set<String> names = new HashSet<>();
                yield row.getFields().stream()
                        .allMatch(
                                field ->
                                        names.add(field.name().toLowerCase(Locale.ENGLISH))
                                                && hasClearNames(field.type()));
            }
            case ArrayType array -> hasClearNames(array.getElementType());
            case MapType map ->
                    hasClearNames(map.getKeyType()) && hasClearNames(map.getValueType());
            case MultisetType set -> hasClearNames(set.getElementType());
            default -> true;
        };
    }
}
