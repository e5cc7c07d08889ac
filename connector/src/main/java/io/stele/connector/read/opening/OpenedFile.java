package io.stele.connector.read.opening;

import static java.util.Objects.requireNonNull;

import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.read.file.FileDataSources;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.page.ScaledDoubles;
import io.stele.connector.type.OrcColumns;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.spi.TrinoException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An opened column file: its data sources, its footer, and its ORC columns by id and by name.
 * Confined to one thread.
 */
final class OpenedFile {
    private final String path;
    private final FileDataSources sources;
    private final Map<Integer, OrcColumn> columns = new HashMap<>();
    private final Map<String, OrcColumn> hiddenColumns = new HashMap<>();
    private final Map<Integer, ScaledDoubles> scaled;
    private final Map<Integer, ColumnSchema> written = new HashMap<>();

    private OpenedFile(String path, FileDataSources sources) {
        this.path = requireNonNull(path, "path is null");
        this.sources = requireNonNull(sources, "sources is null");
        for (OrcColumn column : reader().getRootColumn().getNestedColumns()) {
            String id = column.getAttributes().get(OrcColumns.ID_ATTRIBUTE);
            if (id != null && Integer.parseInt(id) > 0) {
                columns.put(Integer.parseInt(id), column);
            } else {
                hiddenColumns.put(column.getColumnName(), column);
            }
        }
        this.scaled = ScaledDoubles.of(reader(), columns);
    }

    /**
     * Opens the file of a split.
     *
     * @param use of the caches of this node
     */
    static OpenedFile open(
            FileMetadataCache fileMetadata,
            SteleFileSplit split,
            ScanCaches use,
            OrcReaderOptions options)
            throws IOException {
        FileMetadataCache.Opened opened = fileMetadata.open(split, use.pages(), use.footers());
        boolean isOpened = false;
        try {
            FileDataSources sources =
                    FileDataSources.of(opened, fileMetadata, use.footers(), options);
            OpenedFile file = new OpenedFile(split.path(), sources);
            isOpened = true;
            return file;
        } finally {
            if (!isOpened) {
                opened.file().unchecked().release(Long.MAX_VALUE);
            }
        }
    }

    FileDataSources sources() {
        return sources;
    }

    /** Frees the memory of what was prefetched and not read. */
    void release() {
        sources.source().file().unchecked().release(Long.MAX_VALUE);
    }

    OrcReader reader() {
        return sources.footer().reader();
    }

    /** A column of the table; empty: the file is older than the column. */
    Optional<OrcColumn> column(int columnId) {
        return Optional.ofNullable(columns.get(columnId));
    }

    /** The whole numbers as which the file stores a column of doubles; empty if it does not. */
    Optional<ScaledDoubles> scaled(int columnId) {
        return Optional.ofNullable(scaled.get(columnId));
    }

    OrcColumn hidden(String name) {
        OrcColumn column = hiddenColumns.get(name);
        if (column == null) {
            throw new TrinoException(
                    SteleErrorCode.STELE_CORRUPT_DATA,
                    "Expected a column %s, found none in %s".formatted(name, path));
        }
        return column;
    }

    /** The column as it was when the file was written. */
    ColumnSchema written(int columnId, OrcColumn column) {
        return written.computeIfAbsent(columnId, _ -> OrcColumns.written(column));
    }
}
