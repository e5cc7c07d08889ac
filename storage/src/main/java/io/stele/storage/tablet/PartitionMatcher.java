package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import io.stele.storage.manifest.FileEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tests the partitions of files against a predicate: exact for its domains of partition columns,
 * since all rows of a file share their values; other domains are ignored. Immutable.
 */
public final class PartitionMatcher {
    private final KeyEncoder encoder;
    private final List<@Nullable ColumnDomain> domains = new ArrayList<>();
    private final boolean all;

    public PartitionMatcher(TableSchema schema, ScanPredicate predicate) {
        requireNonNull(predicate, "predicate is null");
        this.encoder = KeyEncoder.forColumns(schema, schema.partitionedBy());
        boolean any = false;
        for (ColumnSchema column : encoder.columns()) {
            ColumnDomain domain = isExact(column) ? predicate.domains().get(column.id()) : null;
            domains.add(domain);
            any |= domain != null;
        }
        this.all = !any;
    }

    /** Whether a domain of the column says of every value whether it is in. */
    public static boolean isExact(ColumnSchema column) {
        // The key of a NaN is a value like others; domains have none.
        return column.type().isOrderable()
                && column.type().kind() != TypeKind.REAL
                && column.type().kind() != TypeKind.DOUBLE;
    }

    /** Whether the rows of a file match; true if its partition is not known. */
    public boolean matches(FileEntry file) {
        return all || file.partition().isEmpty() || matches(file.partition().get());
    }

    private boolean matches(byte[] partition) {
        List<Optional<byte[]>> values = encoder.split(partition);
        for (int i = 0; i < domains.size(); i++) {
            ColumnDomain domain = domains.get(i);
            if (domain != null) {
                boolean in = values.get(i).map(domain::contains).orElse(domain.nullAllowed());
                if (!in) {
                    return false;
                }
            }
        }
        return true;
    }
}
