package io.stele.connector.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.spi.function.table.ReturnTypeSpecification.GenericTable.GENERIC_TABLE;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.TableChangesHandle;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.PointerType;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.Descriptor;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.ScalarArgumentSpecification;
import io.trino.spi.function.table.TableFunctionAnalysis;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The table function {@code system.table_changes}, which returns the rows of a table that were
 * inserted, updated and deleted between two moments of its retained history. Stateless.
 */
public final class TableChangesFunction extends AbstractConnectorTableFunction {
    private static final String SCHEMA = "SCHEMA_NAME";
    private static final String TABLE = "TABLE_NAME";
    private static final String FROM_VERSION = "FROM_VERSION";
    private static final String FROM_TIMESTAMP = "FROM_TIMESTAMP";
    private static final String TO_VERSION = "TO_VERSION";
    private static final String TO_TIMESTAMP = "TO_TIMESTAMP";

    private final BiFunction<ConnectorTransactionHandle, ConnectorSession, SteleMetadata> metadata;

    /**
     * @param metadata returns the metadata of a transaction
     */
    public TableChangesFunction(
            BiFunction<ConnectorTransactionHandle, ConnectorSession, SteleMetadata> metadata) {
        super(
                "system",
                "table_changes",
                ImmutableList.of(
                        required(SCHEMA, VARCHAR),
                        required(TABLE, VARCHAR),
                        optional(FROM_VERSION, BIGINT),
                        optional(FROM_TIMESTAMP, TIMESTAMP_TZ_MILLIS),
                        optional(TO_VERSION, BIGINT),
                        optional(TO_TIMESTAMP, TIMESTAMP_TZ_MILLIS)),
                GENERIC_TABLE);
        this.metadata = requireNonNull(metadata, "metadata is null");
    }

    private static ScalarArgumentSpecification required(String name, Type type) {
        return ScalarArgumentSpecification.builder().name(name).type(type).build();
    }

    private static ScalarArgumentSpecification optional(String name, Type type) {
        return ScalarArgumentSpecification.builder()
                .name(name)
                .type(type)
                .defaultValue(null)
                .build();
    }

    @Override
    public TableFunctionAnalysis analyze(
            ConnectorSession session,
            ConnectorTransactionHandle transaction,
            Map<String, Argument> arguments,
            ConnectorAccessControl accessControl) {
        SchemaTableName name = new SchemaTableName(text(arguments, SCHEMA), text(arguments, TABLE));
        ConnectorTableVersion from =
                version(arguments, FROM_VERSION, FROM_TIMESTAMP)
                        .orElseThrow(
                                () ->
                                        refused(
                                                "Expected from_version, an LSN, or from_timestamp, found neither"));
        Optional<ConnectorTableVersion> to = version(arguments, TO_VERSION, TO_TIMESTAMP);
        SteleMetadata catalog = metadata.apply(transaction, session);
        TableChangesHandle changes =
                catalog.tableChanges(session, name, from, to)
                        .orElseThrow(
                                () ->
                                        new TrinoException(
                                                TABLE_NOT_FOUND,
                                                "Expected a table, found none named '%s'"
                                                        .formatted(name)));
        accessControl.checkCanSelectFromColumns(
                null,
                name,
                changes.columns().stream()
                        .map(SteleColumnHandle::name)
                        .collect(Collectors.toUnmodifiableSet()));
        return TableFunctionAnalysis.builder()
                .returnedType(returned(changes))
                .handle(changes)
                .build();
    }

    private static Descriptor returned(TableChangesHandle changes) {
        List<Descriptor.Field> fields = new ArrayList<>();
        for (SteleColumnHandle column : changes.allColumns()) {
            fields.add(new Descriptor.Field(column.name(), Optional.of(column.type())));
        }
        return new Descriptor(fields);
    }

    private static Optional<ConnectorTableVersion> version(
            Map<String, Argument> arguments, String version, String timestamp) {
        Object lsn = value(arguments, version);
        Object time = value(arguments, timestamp);
        if (lsn != null && time != null) {
            throw refused(
                    "Expected one of %s and %s, found both"
                            .formatted(lower(version), lower(timestamp)));
        }
        if (lsn != null) {
            return Optional.of(new ConnectorTableVersion(PointerType.TARGET_ID, BIGINT, lsn));
        }
        return Optional.ofNullable(time)
                .map(
                        moment ->
                                new ConnectorTableVersion(
                                        PointerType.TEMPORAL, TIMESTAMP_TZ_MILLIS, moment));
    }

    private static String text(Map<String, Argument> arguments, String name) {
        Object value = value(arguments, name);
        if (value == null) {
            throw refused("Expected a name as %s, found null".formatted(lower(name)));
        }
        return ((Slice) value).toStringUtf8();
    }

    private static @Nullable Object value(Map<String, Argument> arguments, String name) {
        return ((ScalarArgument) requireNonNull(arguments.get(name), name)).getValue();
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static TrinoException refused(String message) {
        return new TrinoException(INVALID_FUNCTION_ARGUMENT, message);
    }
}
