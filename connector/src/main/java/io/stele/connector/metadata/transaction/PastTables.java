package io.stele.connector.metadata.transaction;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTableVersion;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableName;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.PointerType;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tables that one Trino transaction reads at named moments, {@code FOR VERSION AS OF} or {@code
 * FOR TIMESTAMP AS OF}, each at its own leased snapshot. Guarded by itself.
 */
public final class PastTables {
    private static final int COUNTER_BITS = 16;
    private static final long MAX_MILLIS = Long.MAX_VALUE >> COUNTER_BITS;
    private static final int LAST_COUNTER = (1 << COUNTER_BITS) - 1;

    private final CatalogRequests catalog;
    private final QuerySnapshots querySnapshots;
    private final Map<Version, QuerySnapshots.OpenedVersion> opened = new HashMap<>();
    private boolean closed;

    public PastTables(CatalogRequests catalog, QuerySnapshots querySnapshots) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.querySnapshots = requireNonNull(querySnapshots, "querySnapshots is null");
    }

    /** The table at the version, with the columns that it had then; empty: there is none. */
    public Optional<SteleTableHandle> find(
            ConnectorSession session, SchemaTableName name, ConnectorTableVersion version) {
        if (!isLsnOrTime(version) && catalog.findTable(name).isEmpty()) {
            return Optional.empty();
        }
        return find(name, lsn(session, version));
    }

    /** The table as of an LSN, with the columns that it had then; empty: there is none. */
    public Optional<SteleTableHandle> find(SchemaTableName name, Lsn at) {
        return open(new Version(name, at))
                .map(
                        found ->
                                new SteleTableHandle(
                                                found.table(),
                                                found.lease().id(),
                                                found.lease().lsn().value())
                                        .withVersion(new SteleTableVersion(found.goneColumns())));
    }

    /** Refuses to change a table of the past. */
    public static void checkPresent(SteleTableHandle table) {
        if (table.version().isPresent()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a table as it is to be changed, found %s as of LSN %s"
                            .formatted(table.name(), table.snapshot().withTime()));
        }
    }

    /** Releases the snapshots; nothing can be read afterwards. */
    public void close() {
        List<QuerySnapshots.OpenedVersion> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(opened.values());
            opened.clear();
        }
        all.forEach(version -> version.lease().close());
    }

    private Optional<QuerySnapshots.OpenedVersion> open(Version version) {
        synchronized (this) {
            QuerySnapshots.OpenedVersion known = opened.get(version);
            if (known != null) {
                return Optional.of(known);
            }
        }
        Optional<QuerySnapshots.OpenedVersion> found =
                CatalogRequests.found(
                        () ->
                                querySnapshots.openVersion(
                                        new TableName(
                                                version.name.getSchemaName(),
                                                version.name.getTableName()),
                                        version.at));
        if (found.isEmpty()) {
            return found;
        }
        synchronized (this) {
            if (!closed && opened.putIfAbsent(version, found.get()) == null) {
                return found;
            }
        }
        found.get().lease().close(); // another thread was faster
        synchronized (this) {
            return Optional.ofNullable(opened.get(version));
        }
    }

    private record Version(SchemaTableName name, Lsn at) {}

    private static boolean isLsnOrTime(ConnectorTableVersion version) {
        Type type = version.getVersionType();
        return version.getPointerType() == PointerType.TEMPORAL
                || type == BigintType.BIGINT
                || type == IntegerType.INTEGER
                || type == SmallintType.SMALLINT
                || type == TinyintType.TINYINT;
    }

    private static Lsn lsn(ConnectorSession session, ConnectorTableVersion version) {
        Type type = version.getVersionType();
        if (version.getPointerType() == PointerType.TEMPORAL) {
            long millis = millis(session, type, version.getVersion());
            if (millis < 0 || millis > MAX_MILLIS) {
                throw new TrinoException(
                        INVALID_ARGUMENTS,
                        "Expected a timestamp from 1970 on, found milliseconds " + millis);
            }
            return Lsn.of(millis, LAST_COUNTER);
        }
        if (!isLsnOrTime(version)) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected an LSN, a bigint, in FOR VERSION AS OF, found a value of type "
                            + type.getDisplayName());
        }
        long lsn = (long) version.getVersion();
        if (lsn < 0) {
            throw new TrinoException(
                    INVALID_ARGUMENTS, "Expected an LSN of at least 0, found " + lsn);
        }
        return new Lsn(lsn);
    }

    /** The moment in milliseconds since 1970, rounded down. */
    private static long millis(ConnectorSession session, Type type, Object value) {
        ZoneId zone = session.getTimeZoneKey().getZoneId();
        if (type == DateType.DATE) {
            return LocalDate.ofEpochDay((long) value).atStartOfDay(zone).toInstant().toEpochMilli();
        }
        if (type instanceof TimestampType timestamp) {
            long micros =
                    timestamp.isShort() ? (long) value : ((LongTimestamp) value).getEpochMicros();
            LocalDateTime local =
                    LocalDateTime.ofEpochSecond(
                            Math.floorDiv(micros, 1_000_000L),
                            (int) Math.floorMod(micros, 1_000_000L) * 1_000,
                            ZoneOffset.UTC);
            return local.atZone(zone).toInstant().toEpochMilli();
        }
        if (type instanceof TimestampWithTimeZoneType instant) {
            return instant.isShort()
                    ? unpackMillisUtc((long) value)
                    : ((LongTimestampWithTimeZone) value).getEpochMillis();
        }
        throw new TrinoException(
                NOT_SUPPORTED,
                "Expected a date or timestamp in FOR TIMESTAMP AS OF, found a value of type "
                        + type.getDisplayName());
    }
}
