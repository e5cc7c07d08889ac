package io.stele.connector.metadata.view;

import static io.stele.connector.error.SteleErrorCode.STELE_CORRUPT_DATA;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorTableHandle;
import java.time.Instant;
import java.util.List;

/**
 * A record of the last refresh of a materialized view and the snapshots of its base tables, as
 * stored in the sidecar's catalog.
 *
 * @param startMillis when the refresh began, in milliseconds since the epoch
 * @param bases the tables of this catalog that it read
 * @param elsewhere whether it read anything else, whose changes cannot be observed: tables of other
 *     catalogs, table functions, functions that are not deterministic
 */
record RefreshRecord(long startMillis, List<Base> bases, boolean elsewhere) {
    RefreshRecord {
        bases = ImmutableList.copyOf(bases);
    }

    /** A table as the refresh read it. */
    record Base(
            String schemaName, String tableName, TableId tableId, int schemaVersion, Lsn readLsn) {
        static Base of(SteleTableHandle table) {
            return new Base(
                    table.table().schemaName(),
                    table.table().tableName(),
                    table.table().id(),
                    table.table().schemaVersion(),
                    table.snapshot());
        }
    }

    static RefreshRecord of(Instant start, List<ConnectorTableHandle> sources, boolean elsewhere) {
        return new RefreshRecord(
                start.toEpochMilli(),
                sources.stream()
                        .filter(SteleTableHandle.class::isInstance)
                        .map(SteleTableHandle.class::cast)
                        .map(Base::of)
                        .distinct()
                        .toList(),
                // Changes of sources that are not rows of a table, such as a change scan, are not
                // detected
                elsewhere || !sources.stream().allMatch(SteleTableHandle.class::isInstance));
    }

    /** Reads a record; throws STELE_CORRUPT_DATA if the text is not a record. */
    static RefreshRecord of(String text) {
        try {
            return ApiJson.read(text.getBytes(UTF_8), RefreshRecord.class);
        } catch (SteleException | NullPointerException e) {
            throw new TrinoException(
                    STELE_CORRUPT_DATA,
                    "Expected the note of a refresh as Trino's connector writes it, found: "
                            + e.getMessage(),
                    e);
        }
    }

    String text() {
        return new String(ApiJson.write(this), UTF_8);
    }

    Instant start() {
        return Instant.ofEpochMilli(startMillis);
    }
}
