package io.stele.connector.metadata.procedure;

import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The procedure {@code CALL system.flush_metadata_cache()}, which empties the coordinator's caches
 * of relations and scan plans, or drops one relation with {@code (schema_name => ..., table_name =>
 * ...)}. No query needs it.
 */
public final class FlushMetadataCacheProcedure implements Provider<Procedure> {
    private static final MethodHandle FLUSH;

    static {
        try {
            FLUSH =
                    lookup().unreflect(
                                    FlushMetadataCacheProcedure.class.getMethod(
                                            "flush",
                                            ConnectorSession.class,
                                            String.class,
                                            String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MetadataCache cache;
    private final ScanPlanCache plans;

    @Inject
    public FlushMetadataCacheProcedure(MetadataCache cache, ScanPlanCache plans) {
        this.plans = requireNonNull(plans, "plans is null");
        this.cache = requireNonNull(cache, "cache is null");
    }

    @Override
    public Procedure get() {
        return new Procedure(
                "system",
                "flush_metadata_cache",
                ImmutableList.of(
                        new Argument("SCHEMA_NAME", VARCHAR, false, null),
                        new Argument("TABLE_NAME", VARCHAR, false, null)),
                FLUSH.bindTo(this));
    }

    /** Called by Trino. */
    public void flush(
            ConnectorSession session, @Nullable String schemaName, @Nullable String tableName) {
        if (schemaName == null && tableName == null) {
            cache.flush();
            plans.flush();
            return;
        }
        if (schemaName == null || tableName == null) {
            throw new TrinoException(
                    INVALID_PROCEDURE_ARGUMENT,
                    "Expected both schema_name and table_name, or neither; found schema_name %s and table_name %s"
                            .formatted(schemaName, tableName));
        }
        cache.flush(new SchemaTableName(schemaName, tableName));
    }
}
