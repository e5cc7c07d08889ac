package io.stele.paimon.field;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.type.PaimonTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * The columns of a table that are read for a scan, and the wanted columns and fields as parts of
 * them. Immutable.
 *
 * @param fields the columns that are read, of rows perhaps with the wanted fields only
 * @param read the same as readers take them
 * @param wanted the columns and fields of the scan, in its order
 */
public record ScanColumns(
        List<DataField> fields, List<PaimonColumnHandle> read, List<Part> wanted) {
    public ScanColumns {
        fields = List.copyOf(requireNonNull(fields, "fields is null"));
        read = List.copyOf(requireNonNull(read, "read is null"));
        wanted = List.copyOf(requireNonNull(wanted, "wanted is null"));
    }

    /**
     * A column, or a field inside one.
     *
     * @param channel of the column among those that are read
     * @param positions of the fields on the way to the field; empty: the whole column
     */
    public record Part(int channel, List<Integer> positions) {
        public Part {
            positions = List.copyOf(requireNonNull(positions, "positions is null"));
        }
    }

    /** All fields of the columns are read. */
    public static ScanColumns whole(RowType table, List<PaimonColumnHandle> wanted) {
        return of(table, wanted, false);
    }

    /** No fields are read but those that are wanted. */
    public static ScanColumns pruned(RowType table, List<PaimonColumnHandle> wanted) {
        return of(table, wanted, true);
    }

    private static ScanColumns of(
            RowType table, List<PaimonColumnHandle> wanted, boolean isPruned) {
        Map<Integer, List<PaimonColumnHandle>> byColumn = new LinkedHashMap<>();
        for (PaimonColumnHandle column : wanted) {
            byColumn.computeIfAbsent(column.id(), _ -> new ArrayList<>()).add(column);
        }
        List<DataField> fields = new ArrayList<>();
        List<PaimonColumnHandle> read = new ArrayList<>();
        Map<Integer, Integer> channels = new HashMap<>();
        byColumn.forEach(
                (id, parts) -> {
                    DataField field = table.getField(id);
                    DataType type =
                            isPruned
                                    ? prune(
                                            field.type(),
                                            parts.stream().map(PaimonColumnHandle::path).toList())
                                    : field.type();
                    channels.put(id, fields.size());
                    fields.add(field.newType(type));
                    read.add(
                            parts.stream()
                                    .filter(PaimonColumnHandle::isWhole)
                                    .findFirst()
                                    .orElseGet(
                                            () ->
                                                    new PaimonColumnHandle(
                                                            id,
                                                            field.name(),
                                                            PaimonTypes.toTrino(type))));
                });
        List<Part> parts = new ArrayList<>();
        for (PaimonColumnHandle column : wanted) {
            int channel = requireNonNull(channels.get(column.id()));
            parts.add(new Part(channel, positions(fields.get(channel).type(), column.path())));
        }
        return new ScanColumns(fields, read, parts);
    }

    /** A row type with the fields on some paths only. */
    private static DataType prune(DataType type, List<List<Integer>> paths) {
        if (paths.stream().anyMatch(List::isEmpty)) {
            return type;
        }
        RowType row = (RowType) type;
        Map<Integer, List<List<Integer>>> below = new HashMap<>();
        for (List<Integer> path : paths) {
            below.computeIfAbsent(path.getFirst(), _ -> new ArrayList<>())
                    .add(path.subList(1, path.size()));
        }
        List<DataField> kept = new ArrayList<>();
        for (DataField field : row.getFields()) {
            List<List<Integer>> ofField = below.get(field.id());
            if (ofField != null) {
                kept.add(field.newType(prune(field.type(), ofField)));
            }
        }
        return new RowType(row.isNullable(), kept);
    }

    private static List<Integer> positions(DataType type, List<Integer> path) {
        List<Integer> positions = new ArrayList<>();
        DataType present = type;
        for (int id : path) {
            RowType row = (RowType) present;
            DataField field = row.getField(id);
            positions.add(row.getFields().indexOf(field));
            present = field.type();
        }
        return positions;
    }

    /** Whether the wanted columns are those that are read. */
    public boolean isAsRead() {
        return wanted.size() == read.size()
                && wanted.stream().allMatch(part -> part.positions().isEmpty());
    }
}
