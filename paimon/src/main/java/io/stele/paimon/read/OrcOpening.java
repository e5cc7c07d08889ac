package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.FileColumns;
import io.trino.orc.OrcColumn;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
                .findFirst()
                .orElseThrow(() -> scan.missing(stored.file().name()));
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
