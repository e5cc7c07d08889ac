package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.FileColumns;
import io.trino.orc.OrcColumn;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * An ORC file that a scan is opening: its footer was read, and its stripes are selected. Confined
 * to one driver.
 */
final class OrcOpening implements FileOpening {
    private final FileScan scan;
    private final OrcFooter footer;
    private final List<OrcColumn> columns;
    private final OrcConditions conditions;
    private final LakeOrcDataSource source;

    private OrcOpening(
            FileScan scan,
            OrcFooter footer,
            List<OrcColumn> columns,
            OrcConditions conditions,
            LakeOrcDataSource source) {
        this.scan = requireNonNull(scan, "scan is null");
        this.footer = requireNonNull(footer, "footer is null");
        this.columns = List.copyOf(columns);
        this.conditions = requireNonNull(conditions, "conditions is null");
        this.source = requireNonNull(source, "source is null");
    }

    static OrcOpening of(FileScan scan, FileMetadataCache metadata) throws IOException {
        OrcFooter footer = metadata.orc(scan.split().path(), scan.split().fileSize(), scan.file());
        List<OrcColumn> columns =
                scan.columns().stored().stream()
                        .map(stored -> column(scan, footer, stored))
                        .toList();
        OrcConditions conditions = OrcConditions.of(scan, columns);
        OrcStripes stripes = new OrcStripes(scan, footer, metadata, columns, conditions);
        return new OrcOpening(
                scan, footer, columns, conditions, new LakeOrcDataSource(scan, footer, stripes));
    }

    private static OrcColumn column(FileScan scan, OrcFooter footer, FileColumns.Stored stored) {
        return footer.reader().getRootColumn().getNestedColumns().stream()
                .filter(column -> column.getColumnName().equals(stored.file().name()))
                .map(column -> wanted(column, stored.values().file()))
                .findFirst()
                .orElseThrow(() -> scan.missing(stored.file().name()));
    }

    /**
     * A column without the nested fields that its type does not have. Neither trino-orc nor this
     * plugin reads streams of fields that are not here.
     */
    private static OrcColumn wanted(OrcColumn column, DataType type) {
        List<OrcColumn> nested = column.getNestedColumns();
        List<OrcColumn> kept =
                switch (type) {
                    case RowType row -> fields(nested, row);
                    case ArrayType array when nested.size() == 1 ->
                            List.of(wanted(nested.getFirst(), array.getElementType()));
                    case MapType map when nested.size() == 2 ->
                            List.of(
                                    wanted(nested.getFirst(), map.getKeyType()),
                                    wanted(nested.getLast(), map.getValueType()));
                    default -> nested;
                };
        return kept.equals(nested)
                ? column
                : new OrcColumn(
                        column.getPath(),
                        column.getColumnId(),
                        column.getColumnName(),
                        column.getColumnType(),
                        column.getOrcDataSourceId(),
                        kept,
                        column.getAttributes());
    }

    private static List<OrcColumn> fields(List<OrcColumn> nested, RowType row) {
        Map<String, DataType> types = new HashMap<>();
        row.getFields().forEach(field -> types.put(field.name(), field.type()));
        List<OrcColumn> kept = new ArrayList<>();
        for (OrcColumn field : nested) {
            DataType type = types.get(field.getColumnName());
            if (type != null) {
                kept.add(wanted(field, type));
            }
        }
        return kept;
    }

    @Override
    public void fetchIndexes() {
        source.fetchIndexes();
    }

    @Override
    public FileRows open() throws IOException {
        source.fetchData();
        List<Type> types = new ArrayList<>();
        for (FileColumns.Stored stored : scan.columns().stored()) {
            types.add(stored.values().stored());
        }
        return OrcRows.open(scan, footer, columns, types, conditions, source);
    }
}
