package io.stele.connector.metadata.procedure;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.connector.TableProcedureExecutionMode.distributedWithFilteringAndRepartitioning;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.airlift.slice.Slice;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleExecuteHandle;
import io.stele.connector.metadata.catalog.ColumnLists;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.TableProcedureMetadata;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table procedure {@code ALTER TABLE t EXECUTE warm(columns => ARRAY[...]) [WHERE ...]}, a scan
 * by the workers that loads the data of later queries into their caches. Stateless.
 */
public final class Warming {
    static final String NAME = "WARM";

    private static final String COLUMNS = "columns";

    private Warming() {}

    static TableProcedureMetadata procedure() {
        return new TableProcedureMetadata(
                NAME,
                distributedWithFilteringAndRepartitioning(),
                ImmutableList.of(
                        ColumnLists.property(
                                COLUMNS,
                                "Columns to read; all unless given",
                                INVALID_PROCEDURE_ARGUMENT)));
    }

    /**
     * The column names in the properties of a call; throws INVALID_PROCEDURE_ARGUMENT if one is
     * repeated.
     */
    public static List<String> columns(Map<String, Object> properties) {
        List<String> names = ColumnLists.names(properties, COLUMNS);
        if (ImmutableSet.copyOf(names).size() < names.size()) {
            throw new TrinoException(
                    INVALID_PROCEDURE_ARGUMENT,
                    "Expected each of the columns to warm once, found %s".formatted(names));
        }
        return names;
    }

    /** The columns that a call reads; throws INVALID_PROCEDURE_ARGUMENT if one does not exist. */
    public static Set<ColumnHandle> columnHandles(
            SteleExecuteHandle handle, Collection<SteleColumnHandle> all) {
        if (handle.columns().isEmpty()) {
            return ImmutableSet.copyOf(all);
        }
        Map<String, ColumnHandle> byName =
                all.stream()
                        .collect(
                                ImmutableMap.toImmutableMap(
                                        SteleColumnHandle::name, column -> column));
        return handle.columns().stream()
                .map(
                        name -> {
                            ColumnHandle found = byName.get(name);
                            if (found == null) {
                                throw new TrinoException(
                                        INVALID_PROCEDURE_ARGUMENT,
                                        "Expected columns of table %s to warm, found '%s'"
                                                .formatted(handle.table().name(), name));
                            }
                            return found;
                        })
                .collect(toImmutableSet());
    }

    /** The row that the statement shows. */
    public static Map<String, Long> result(Collection<Slice> fragments) {
        return ImmutableMap.of(
                "read_rows", fragments.stream().mapToLong(count -> count.getLong(0)).sum());
    }
}
