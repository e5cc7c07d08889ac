package io.stele.paimon.read;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_DATA;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileDomains;
import io.stele.paimon.type.FileFormat;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.paimon.schema.TableSchema;

/**
 * The immutable description of a scan of one split of a data file, with a reader of the file's
 * bytes.
 *
 * @param table the schema of the scan
 * @param rows those that can be wanted by the indexes of the file
 * @param file reads the bytes of the file
 */
record FileScan(
        PaimonFileSplit split,
        FileFormat format,
        TableSchema table,
        FileColumns columns,
        TupleDomain<PaimonColumnHandle> constraint,
        IndexedRows rows,
        ObjectReader file) {
    FileScan {
        requireNonNull(split, "split is null");
        requireNonNull(format, "format is null");
        requireNonNull(table, "table is null");
        requireNonNull(columns, "columns is null");
        requireNonNull(constraint, "constraint is null");
        requireNonNull(rows, "rows is null");
        requireNonNull(file, "file is null");
    }

    /** The constraint's domains of columns that the file has statistics of. */
    Map<FileColumns.Stored, Domain> domains() {
        Map<PaimonColumnHandle, Domain> domains = constraint.getDomains().orElseThrow();
        Map<FileColumns.Stored, Domain> result = new LinkedHashMap<>();
        for (FileColumns.Stored column : columns.stored()) {
            Domain domain = domains.get(column.column());
            if (domain != null) {
                FileDomains.of(format, column, table, domain)
                        .ifPresent(found -> result.put(column, found));
            }
        }
        return result;
    }

    /**
     * Whether no row can match, since the constraint excludes null in a column that the file does
     * not have.
     */
    static boolean isNone(FileColumns columns, TupleDomain<PaimonColumnHandle> constraint) {
        if (constraint.isNone()) {
            return true;
        }
        Map<PaimonColumnHandle, Domain> domains = constraint.getDomains().orElseThrow();
        return columns.channels().stream()
                .filter(channel -> channel.index() < 0)
                .map(channel -> domains.get(channel.column()))
                .anyMatch(domain -> domain != null && !domain.isNullAllowed());
    }

    Function<Exception, RuntimeException> failures() {
        return failure -> ReadFailures.translate(split.path(), failure);
    }

    /** The error for a column that the schema of the file has, but not the file. */
    TrinoException missing(String name) {
        return new TrinoException(
                PAIMON_BAD_DATA,
                "Expected column %s of schema %s, found none in %s"
                        .formatted(name, split.schemaId(), split.path()));
    }
}
