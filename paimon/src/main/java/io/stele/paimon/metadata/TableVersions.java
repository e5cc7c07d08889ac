package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.DateType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.tag.Tag;

/**
 * The resolution of {@code FOR VERSION AS OF} (a snapshot id or a tag's name) and {@code FOR
 * TIMESTAMP AS OF} to a table's snapshot. Stateless; waits for the store.
 */
final class TableVersions {
    private TableVersions() {}

    /**
     * A snapshot.
     *
     * @param tag the tag, if the query named one; the snapshot's own file may have expired
     */
    record Version(Snapshot snapshot, Optional<String> tag) {
        Version {
            requireNonNull(snapshot, "snapshot is null");
            requireNonNull(tag, "tag is null");
        }
    }

    /**
     * @throws TrinoException if there is no such snapshot
     */
    static Version resolve(
            ConnectorSession session, FileStoreTable table, ConnectorTableVersion version) {
        return switch (version.getPointerType()) {
            case TARGET_ID -> byId(table, version.getVersionType(), version.getVersion());
            case TEMPORAL ->
                    byTime(table, instant(session, version.getVersionType(), version.getVersion()));
        };
    }

    private static Version byId(FileStoreTable table, Type type, Object value) {
        if (type instanceof VarcharType) {
            String tag = ((Slice) value).toStringUtf8();
            if (!TableNames.isPlain(tag)) {
                throw new TrinoException(
                        INVALID_ARGUMENTS,
                        "Expected the name of a tag of %s, found '%s'"
                                .formatted(table.name(), tag));
            }
            Tag found =
                    table.tagManager()
                            .get(tag)
                            .orElseThrow(
                                    () ->
                                            new TrinoException(
                                                    INVALID_ARGUMENTS,
                                                    "Expected a tag of %s, found '%s', which it does not have"
                                                            .formatted(table.name(), tag)));
            return new Version(found.trimToSnapshot(), Optional.of(tag));
        }
        if (type instanceof BigintType
                || type instanceof IntegerType
                || type instanceof SmallintType
                || type instanceof TinyintType) {
            long id = (long) value;
            if (!table.snapshotManager().snapshotExists(id)) {
                throw new TrinoException(
                        INVALID_ARGUMENTS,
                        "Expected a snapshot of %s from %s to %s, found %s"
                                .formatted(
                                        table.name(),
                                        table.snapshotManager().earliestSnapshotId(),
                                        table.snapshotManager().latestSnapshotId(),
                                        id));
            }
            return new Version(table.snapshotManager().snapshot(id), Optional.empty());
        }
        throw new TrinoException(
                NOT_SUPPORTED,
                "Expected the id of a snapshot or the name of a tag as version, found a value of type "
                        + type);
    }

    private static Version byTime(FileStoreTable table, Instant time) {
        Snapshot found = table.snapshotManager().earlierOrEqualTimeMills(time.toEpochMilli());
        if (found == null || found.timeMillis() > time.toEpochMilli()) {
            throw new TrinoException(
                    INVALID_ARGUMENTS,
                    "Expected a snapshot of %s that is not younger than %s, found none"
                            .formatted(table.name(), time));
        }
        return new Version(found, Optional.empty());
    }

    private static Instant instant(ConnectorSession session, Type type, Object value) {
        ZoneId zone = session.getTimeZoneKey().getZoneId();
        if (type instanceof DateType) {
            return LocalDate.ofEpochDay((long) value).atStartOfDay(zone).toInstant();
        }
        if (type instanceof TimestampType) {
            long micros =
                    value instanceof LongTimestamp wide ? wide.getEpochMicros() : (long) value;
            return LocalDateTime.ofEpochSecond(
                            Math.floorDiv(micros, 1_000_000L),
                            Math.floorMod(micros, 1_000_000) * 1_000,
                            ZoneOffset.UTC)
                    .atZone(zone)
                    .toInstant();
        }
        if (type instanceof TimestampWithTimeZoneType) {
            return Instant.ofEpochMilli(
                    value instanceof LongTimestampWithTimeZone wide
                            ? wide.getEpochMillis()
                            : DateTimeEncoding.unpackMillisUtc((long) value));
        }
        throw new TrinoException(
                NOT_SUPPORTED, "Expected a date or timestamp as version, found type " + type);
    }
}
