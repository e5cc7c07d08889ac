package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of parameters, which a Flight SQL client sends as rows of Arrow batches, into values of
 * the types in a plan. Columns are matched by their order. Confined to one thread.
 */
final class ParameterRows {
    private final List<ParameterTypes.Type> types;
    private final ZoneId zone;
    private final List<DataType> found;
    private final RowEncoder encoder;
    private final BinaryRow view;
    private final ArrowRows rows;

    /**
     * @param types of the parameters; columns beyond them are texts
     * @param fields of the batches
     * @throws PostgresException PROTOCOL_VIOLATION if there are fewer columns than parameters
     */
    ParameterRows(List<ParameterTypes.Type> types, List<ArrowField> fields, ZoneId zone) {
        this.types = requireNonNull(types, "types is null");
        this.zone = requireNonNull(zone, "zone is null");
        if (fields.size() < types.size()) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected %s parameters, found %s".formatted(types.size(), fields.size()));
        }
        List<ColumnSchema> columns = new ArrayList<>();
        List<ArrowField> placed = new ArrayList<>();
        for (ArrowField field : fields) {
            int id = columns.size() + 1;
            columns.add(new ColumnSchema(id, "p" + id, field.type(), true, Optional.empty()));
            placed.add(new ArrowField(id, "p" + id, field.arrowType(), true));
        }
        this.found = columns.stream().map(ColumnSchema::type).toList();
        RowLayout layout = RowLayout.of(columns);
        this.encoder = new RowEncoder(layout);
        this.view = new BinaryRow(layout);
        this.rows = new ArrowRows(placed, layout);
    }

    /** The values of one row, of the classes of the parameters' types; null: NULL. */
    List<@Nullable Object> read(ArrowBatch batch, int row) {
        int length = rows.encode(batch, row, encoder);
        view.wrap(encoder.array(), 0, length);
        List<@Nullable Object> values = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            Object value = Rows.objectAt(view, i);
            values.add(value == null ? null : value(i, value));
        }
        return values;
    }

    private Object value(int index, Object value) {
        ParameterTypes.Type type = index < types.size() ? types.get(index) : ParameterTypes.TEXT;
        try {
            return type.array()
                    ? elements(type.type(), found.get(index), value)
                    : type.cast(ColumnValues.toPostgres(found.get(index), value), zone);
        } catch (PostgresException wrong) {
            throw new PostgresException(
                    wrong.state(), "%s, as parameter $%s".formatted(wrong.getMessage(), index + 1));
        }
    }

    private List<@Nullable Object> elements(PostgresType element, DataType type, Object value) {
        if (!(type instanceof ArrayType array) || !(value instanceof List<?> elements)) {
            throw new PostgresException(
                    SqlState.DATATYPE_MISMATCH,
                    "Expected a list of %s, found a %s".formatted(element.sqlName(), type));
        }
        ParameterTypes.Type wanted = new ParameterTypes.Type(element, false);
        List<@Nullable Object> values = new ArrayList<>(elements.size());
        for (Object each : elements) {
            values.add(
                    each == null
                            ? null
                            : wanted.cast(ColumnValues.toPostgres(array.element(), each), zone));
        }
        return values;
    }
}
