package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.type.PaimonTypes;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.paimon.table.AppendOnlyFileStoreTable;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;
import org.apache.paimon.table.source.RawFile;

/**
 * The choice of the files of a scan that readers of this plugin read; Paimon's reader reads the
 * rest. Not thread-safe.
 */
final class NativeReading {
    private final FileStoreTable table;
    private final TableSchemas schemas;
    private final boolean isPossible;
    private final List<PaimonColumnHandle> columns;
    private final Map<Kind, Boolean> known = new HashMap<>();

    private record Kind(String format, long schemaId) {}

    NativeReading(FileStoreTable table, TableSchemas schemas) {
        this.table = requireNonNull(table, "table is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        // Files of a table with data evolution have some of the columns only
        this.isPossible =
                (table instanceof AppendOnlyFileStoreTable
                                || table instanceof PrimaryKeyFileStoreTable)
                        && !table.coreOptions().dataEvolutionEnabled();
        // The planner is not told which of them a query reads
        this.columns =
                table.rowType().getFields().stream()
                        .flatMap(
                                field ->
                                        PaimonTypes.find(field.type()).stream()
                                                .map(
                                                        type ->
                                                                new PaimonColumnHandle(
                                                                        field.id(),
                                                                        field.name(),
                                                                        type)))
                        .toList();
    }

    boolean isPossible() {
        return isPossible;
    }

    /** Whether a file that needs no merge is read by this plugin. */
    boolean reads(RawFile file) {
        return known.computeIfAbsent(
                new Kind(file.format().toLowerCase(Locale.ROOT), file.schemaId()),
                kind ->
                        RawFilePageSources.canRead(
                                kind.format(),
                                schemas.schema(table, kind.schemaId()),
                                table.schema(),
                                columns));
    }
}
