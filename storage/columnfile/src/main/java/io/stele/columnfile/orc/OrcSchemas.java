package io.stele.columnfile.orc;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.TableSchema;
import java.util.stream.Collectors;
import org.apache.orc.TypeDescription;

/**
 * A converter of table schemas to ORC schemas for writers and readers of column files. Each ORC
 * column has the attributes {@value #ID_ATTRIBUTE} (column id) and {@value #TYPE_ATTRIBUTE} (type
 * as text); readers match columns by id, never by name or position.
 */
public final class OrcSchemas {
    public static final String ID_ATTRIBUTE = "stele.id";
    public static final String TYPE_ATTRIBUTE = "stele.type";

    /**
     * Attribute of a column whose nested type changed: the ids of its row fields, in the order of
     * {@link io.stele.protocol.schema.IdentifiedType}. Without the attribute, the ids are 1, 2 and
     * so on.
     */
    public static final String FIELDS_ATTRIBUTE = "stele.fields";

    /** Id of the hidden column {@code _lsn}, as in scans. */
    public static final int LSN_ID = -1;

    /** Id of the hidden column {@code _row_id}. */
    public static final int ROW_ID_ID = -2;

    private OrcSchemas() {}

    /**
     * The columns of a new file: the table's columns in order, {@code _row_id} if it has no primary
     * key, {@code _lsn}.
     */
    public static TypeDescription fileSchema(TableSchema schema) {
        TypeDescription root = tableSchema(schema);
        if (!schema.hasPrimaryKey()) {
            root.addField(
                    ColumnSchema.ROW_ID_NAME,
                    withAttributes(TypeDescription.createLong(), ROW_ID_ID, "bigint"));
        }
        root.addField(
                ColumnSchema.LSN_NAME,
                withAttributes(TypeDescription.createLong(), LSN_ID, "bigint"));
        return root;
    }

    /** The table's columns alone, as of a file whose rows get LSN and row ids by its commit. */
    public static TypeDescription tableSchema(TableSchema schema) {
        TypeDescription root = TypeDescription.createStruct();
        for (ColumnSchema column : schema.columns()) {
            TypeDescription type =
                    withAttributes(type(column.type()), column.id(), column.type().text());
            if (!column.fieldIds().isEmpty()) {
                type.setAttribute(
                        FIELDS_ATTRIBUTE,
                        column.fieldIds().stream()
                                .map(String::valueOf)
                                .collect(Collectors.joining(",")));
            }
            root.addField(column.name(), type);
        }
        return root;
    }

    /**
     * The ORC type of a data type. Text of bounded length is a plain string, because its length was
     * checked when it was received.
     */
    public static TypeDescription type(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> TypeDescription.createBoolean();
            case TINYINT -> TypeDescription.createByte();
            case SMALLINT -> TypeDescription.createShort();
            case INTEGER -> TypeDescription.createInt();
            case BIGINT, TIME -> TypeDescription.createLong();
            // Not ORC's timestamp: it loses fractions of seconds before 1970.
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    type.form() == PhysicalForm.INT64
                            ? TypeDescription.createLong()
                            : decimal(DecimalType.MAX_PRECISION, type.scale());
            case REAL -> TypeDescription.createFloat();
            case DOUBLE -> TypeDescription.createDouble();
            case DECIMAL -> decimal(((DecimalType) type).precision(), type.scale());
            case VARCHAR, JSON -> TypeDescription.createString();
            case CHAR ->
                    TypeDescription.createChar()
                            .withMaxLength(Math.max(1, ((CharType) type).length()));
            case VARBINARY, UUID -> TypeDescription.createBinary();
            case DATE -> TypeDescription.createDate();
            case ARRAY -> TypeDescription.createList(type(((ArrayType) type).element()));
            case MAP ->
                    TypeDescription.createMap(
                            type(((MapType) type).key()), type(((MapType) type).value()));
            case ROW -> rowType((RowType) type);
        };
    }

    /**
     * Whether the stored values of a column are the longs of the reader's type: whole numbers,
     * dates or times. Times of another unit are not.
     */
    static boolean isStoredAsLongs(TypeDescription stored, DataType read) {
        return switch (stored.getCategory()) {
            case BYTE, SHORT, INT, LONG, DATE ->
                    switch (read.kind()) {
                        case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> true;
                        case TIME, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                                read.text().equals(stored.getAttributeValue(TYPE_ATTRIBUTE));
                        default -> false;
                    };
            default -> false;
        };
    }

    private static TypeDescription decimal(int precision, int scale) {
        // First sets the largest precision, because ORC checks each setter against the present
        // values
        return TypeDescription.createDecimal()
                .withPrecision(DecimalType.MAX_PRECISION)
                .withScale(scale)
                .withPrecision(precision);
    }

    private static TypeDescription rowType(RowType type) {
        TypeDescription struct = TypeDescription.createStruct();
        for (int i = 0; i < type.fields().size(); i++) {
            struct.addField(
                    type.fields().get(i).name().orElse("field" + i),
                    type(type.fields().get(i).type()));
        }
        return struct;
    }

    private static TypeDescription withAttributes(TypeDescription type, int id, String text) {
        return type.setAttribute(ID_ATTRIBUTE, Integer.toString(id))
                .setAttribute(TYPE_ATTRIBUTE, text);
    }
}
