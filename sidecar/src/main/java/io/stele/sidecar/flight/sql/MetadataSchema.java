package io.stele.sidecar.flight.sql;

import com.google.flatbuffers.FlatBufferBuilder;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;
import org.apache.arrow.flatbuf.Utf8;

/**
 * The Arrow schemas that Flight SQL prescribes for metadata replies (FlightSql.proto of Arrow 18),
 * as flatbuffers. They have unsigned integers and a union, which no column of Stele has.
 */
final class MetadataSchema {
    private static final List<Column> KEYS =
            List.of(
                    text("pk_catalog_name", true),
                    text("pk_db_schema_name", true),
                    text("pk_table_name", false),
                    text("pk_column_name", false),
                    text("fk_catalog_name", true),
                    text("fk_db_schema_name", true),
                    text("fk_table_name", false),
                    text("fk_column_name", false),
                    new Column("key_sequence", Kind.INT32, false),
                    text("fk_key_name", true),
                    text("pk_key_name", true),
                    new Column("update_rule", Kind.UINT8, false),
                    new Column("delete_rule", Kind.UINT8, false));

    static final byte[] CATALOGS = message(List.of(text("catalog_name", false)));
    static final byte[] DB_SCHEMAS =
            message(List.of(text("catalog_name", true), text("db_schema_name", false)));
    static final byte[] TABLE_TYPES = message(List.of(text("table_type", false)));
    static final byte[] TABLES = message(tables(false));
    static final byte[] TABLES_WITH_SCHEMA = message(tables(true));
    static final byte[] PRIMARY_KEYS =
            message(
                    List.of(
                            text("catalog_name", true),
                            text("db_schema_name", true),
                            text("table_name", false),
                            text("column_name", false),
                            new Column("key_sequence", Kind.INT32, false),
                            text("key_name", true)));

    /** The schema of imported and exported keys and cross references. */
    static final byte[] FOREIGN_KEYS = message(KEYS);

    static final byte[] TYPE_INFO =
            message(
                    List.of(
                            text("type_name", false),
                            new Column("data_type", Kind.INT32, false),
                            new Column("column_size", Kind.INT32, true),
                            text("literal_prefix", true),
                            text("literal_suffix", true),
                            new Column("create_params", Kind.TEXTS, true),
                            new Column("nullable", Kind.INT32, false),
                            new Column("case_sensitive", Kind.BOOL, false),
                            new Column("searchable", Kind.INT32, false),
                            new Column("unsigned_attribute", Kind.BOOL, true),
                            new Column("fixed_prec_scale", Kind.BOOL, false),
                            new Column("auto_increment", Kind.BOOL, true),
                            text("local_type_name", true),
                            new Column("minimum_scale", Kind.INT32, true),
                            new Column("maximum_scale", Kind.INT32, true),
                            new Column("sql_data_type", Kind.INT32, false),
                            new Column("datetime_subcode", Kind.INT32, true),
                            new Column("num_prec_radix", Kind.INT32, true),
                            new Column("interval_precision", Kind.INT32, true)));

    static final byte[] SQL_INFO =
            message(
                    List.of(
                            new Column("info_name", Kind.UINT32, false),
                            new Column("value", Kind.SQL_INFO, false)));

    private enum Kind {
        TEXT,
        BOOL,
        INT32,
        INT64,
        UINT8,
        UINT32,
        BINARY,
        TEXTS,
        INT32S,
        INT32S_BY_INT32,
        SQL_INFO
    }

    private record Column(String name, Kind kind, boolean nullable) {}

    private MetadataSchema() {}

    private static Column text(String name, boolean nullable) {
        return new Column(name, Kind.TEXT, nullable);
    }

    private static List<Column> tables(boolean withSchema) {
        List<Column> columns =
                List.of(
                        text("catalog_name", true),
                        text("db_schema_name", true),
                        text("table_name", false),
                        text("table_type", false),
                        new Column("table_schema", Kind.BINARY, false));
        return withSchema ? columns : columns.subList(0, 4);
    }

    private static byte[] message(List<Column> columns) {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        int[] fields = columns.stream().mapToInt(column -> field(builder, column)).toArray();
        int vector = Schema.createFieldsVector(builder, fields);
        int schema = Schema.createSchema(builder, Endianness.Little, vector, 0, 0);
        Message.finishMessageBuffer(
                builder,
                Message.createMessage(
                        builder, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0));
        return builder.sizedByteArray();
    }

    private static int field(FlatBufferBuilder builder, Column column) {
        int children = Field.createChildrenVector(builder, children(builder, column.kind()));
        int name = builder.createString(column.name());
        int type = type(builder, column.kind());
        return Field.createField(
                builder, name, column.nullable(), typeId(column.kind()), type, 0, children, 0);
    }

    private static int[] children(FlatBufferBuilder builder, Kind kind) {
        return switch (kind) {
            case TEXTS -> new int[] {field(builder, text("item", true))};
            case INT32S -> new int[] {field(builder, new Column("item", Kind.INT32, true))};
            case INT32S_BY_INT32 -> new int[] {entries(builder)};
            case SQL_INFO ->
                    new int[] {
                        field(builder, text("string_value", true)),
                        field(builder, new Column("bool_value", Kind.BOOL, true)),
                        field(builder, new Column("bigint_value", Kind.INT64, true)),
                        field(builder, new Column("int32_bitmask", Kind.INT32, true)),
                        field(builder, new Column("string_list", Kind.TEXTS, true)),
                        field(
                                builder,
                                new Column("int32_to_int32_list_map", Kind.INT32S_BY_INT32, true))
                    };
            default -> new int[0];
        };
    }

    private static int entries(FlatBufferBuilder builder) {
        int[] children = {
            field(builder, new Column("key", Kind.INT32, false)),
            field(builder, new Column("value", Kind.INT32S, true))
        };
        int vector = Field.createChildrenVector(builder, children);
        int name = builder.createString("entries");
        Struct_.startStruct_(builder);
        int type = Struct_.endStruct_(builder);
        return Field.createField(builder, name, false, Type.Struct_, type, 0, vector, 0);
    }

    private static byte typeId(Kind kind) {
        return switch (kind) {
            case TEXT -> Type.Utf8;
            case BOOL -> Type.Bool;
            case INT32, INT64, UINT8, UINT32 -> Type.Int;
            case BINARY -> Type.Binary;
            case TEXTS, INT32S -> Type.List;
            case INT32S_BY_INT32 -> Type.Map;
            case SQL_INFO -> Type.Union;
        };
    }

    private static int type(FlatBufferBuilder builder, Kind kind) {
        return switch (kind) {
            case TEXT -> {
                Utf8.startUtf8(builder);
                yield Utf8.endUtf8(builder);
            }
            case BOOL -> {
                Bool.startBool(builder);
                yield Bool.endBool(builder);
            }
            case INT32 -> Int.createInt(builder, 32, true);
            case INT64 -> Int.createInt(builder, 64, true);
            case UINT8 -> Int.createInt(builder, 8, false);
            case UINT32 -> Int.createInt(builder, 32, false);
            case BINARY -> {
                Binary.startBinary(builder);
                yield Binary.endBinary(builder);
            }
            case TEXTS, INT32S -> {
                org.apache.arrow.flatbuf.List.startList(builder);
                yield org.apache.arrow.flatbuf.List.endList(builder);
            }
            case INT32S_BY_INT32 -> org.apache.arrow.flatbuf.Map.createMap(builder, false);
            case SQL_INFO -> {
                int ids = Union.createTypeIdsVector(builder, new int[] {0, 1, 2, 3, 4, 5});
                yield Union.createUnion(builder, UnionMode.Dense, ids);
            }
        };
    }
}
