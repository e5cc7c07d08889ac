package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowColumnBuilder;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowUnionEncoder;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.VarcharType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;

/** The reply to Flight SQL's CommandGetSqlInfo, whose values describe this server. Immutable. */
final class SqlInfoRows {
    // Children of the union of MetadataSchema
    private static final int TEXT = 0;
    private static final int BOOL = 1;
    private static final int INT64 = 2;
    private static final int INT32 = 3;
    private static final int TEXTS = 4;
    private static final int LISTS_BY_INT = 5;

    private static final int NULLS_SORTED_HIGH = 0;
    private static final int NO_BITS = 0;
    private static final int MINIMUM_GRAMMAR = 1; // bit 0
    private static final int ENTRY_ANSI92 = 1; // bit 0
    private static final int REPEATABLE_READ = 3; // of SqlTransactionIsolationLevel
    private static final int MAX_STATEMENT_CHARACTERS = 4 << 20;

    /** Values: String, Boolean, Long, Integer, List of String or Map without entries. */
    private final Map<Integer, Object> values = new TreeMap<>();

    SqlInfoRows(String version, long transactionMillis) {
        put(SqlInfo.FLIGHT_SQL_SERVER_NAME, "Stele");
        put(SqlInfo.FLIGHT_SQL_SERVER_VERSION, version);
        put(SqlInfo.FLIGHT_SQL_SERVER_ARROW_VERSION, "18.3.0"); // of FlightSql.proto
        put(SqlInfo.FLIGHT_SQL_SERVER_READ_ONLY, false);
        put(SqlInfo.FLIGHT_SQL_SERVER_SQL, true);
        put(SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT, false);
        put(
                SqlInfo.FLIGHT_SQL_SERVER_TRANSACTION,
                SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_TRANSACTION.getNumber());
        put(SqlInfo.FLIGHT_SQL_SERVER_CANCEL, true);
        put(SqlInfo.FLIGHT_SQL_SERVER_BULK_INGESTION, true);
        put(SqlInfo.FLIGHT_SQL_SERVER_INGEST_TRANSACTIONS_SUPPORTED, true);
        put(SqlInfo.FLIGHT_SQL_SERVER_STATEMENT_TIMEOUT, 0);
        put(SqlInfo.FLIGHT_SQL_SERVER_TRANSACTION_TIMEOUT, (int) transactionMillis);
        put(SqlInfo.SQL_DDL_CATALOG, false);
        put(SqlInfo.SQL_DDL_SCHEMA, false);
        put(SqlInfo.SQL_DDL_TABLE, false);
        int lowerCase = SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_LOWERCASE.getNumber();
        put(SqlInfo.SQL_IDENTIFIER_CASE, lowerCase);
        put(SqlInfo.SQL_IDENTIFIER_QUOTE_CHAR, "\"");
        put(SqlInfo.SQL_QUOTED_IDENTIFIER_CASE, lowerCase);
        put(SqlInfo.SQL_ALL_TABLES_ARE_SELECTABLE, true);
        put(SqlInfo.SQL_NULL_ORDERING, NULLS_SORTED_HIGH);
        put(SqlInfo.SQL_KEYWORDS, List.of("CONFLICT", "ILIKE", "LIMIT", "OFFSET", "RETURNING"));
        put(SqlInfo.SQL_NUMERIC_FUNCTIONS, List.of());
        put(SqlInfo.SQL_STRING_FUNCTIONS, List.of("LOWER", "UPPER", "LENGTH"));
        put(SqlInfo.SQL_SYSTEM_FUNCTIONS, List.of("COALESCE", "CURRENT_USER"));
        put(SqlInfo.SQL_DATETIME_FUNCTIONS, List.of("NOW", "CURRENT_DATE", "LOCALTIMESTAMP"));
        put(SqlInfo.SQL_SEARCH_STRING_ESCAPE, "\\");
        put(SqlInfo.SQL_EXTRA_NAME_CHARACTERS, "");
        put(SqlInfo.SQL_SUPPORTS_COLUMN_ALIASING, true);
        put(SqlInfo.SQL_NULL_PLUS_NULL_IS_NULL, true);
        put(SqlInfo.SQL_SUPPORTS_CONVERT, Map.of());
        put(SqlInfo.SQL_SUPPORTS_TABLE_CORRELATION_NAMES, true);
        put(SqlInfo.SQL_SUPPORTS_DIFFERENT_TABLE_CORRELATION_NAMES, false);
        put(SqlInfo.SQL_SUPPORTS_EXPRESSIONS_IN_ORDER_BY, true);
        put(SqlInfo.SQL_SUPPORTS_ORDER_BY_UNRELATED, true);
        put(SqlInfo.SQL_SUPPORTED_GROUP_BY, NO_BITS);
        put(SqlInfo.SQL_SUPPORTS_LIKE_ESCAPE_CLAUSE, false);
        put(SqlInfo.SQL_SUPPORTS_NON_NULLABLE_COLUMNS, true);
        put(SqlInfo.SQL_SUPPORTED_GRAMMAR, MINIMUM_GRAMMAR);
        put(SqlInfo.SQL_ANSI92_SUPPORTED_LEVEL, ENTRY_ANSI92);
        put(SqlInfo.SQL_SUPPORTS_INTEGRITY_ENHANCEMENT_FACILITY, false);
        put(SqlInfo.SQL_OUTER_JOINS_SUPPORT_LEVEL, NO_BITS);
        put(SqlInfo.SQL_SCHEMA_TERM, "schema");
        put(SqlInfo.SQL_PROCEDURE_TERM, "procedure");
        put(SqlInfo.SQL_CATALOG_TERM, "database");
        put(SqlInfo.SQL_CATALOG_AT_START, true);
        put(SqlInfo.SQL_SCHEMAS_SUPPORTED_ACTIONS, NO_BITS);
        put(SqlInfo.SQL_CATALOGS_SUPPORTED_ACTIONS, NO_BITS);
        put(SqlInfo.SQL_SUPPORTED_POSITIONED_COMMANDS, NO_BITS);
        put(SqlInfo.SQL_SELECT_FOR_UPDATE_SUPPORTED, false);
        put(SqlInfo.SQL_STORED_PROCEDURES_SUPPORTED, false);
        put(SqlInfo.SQL_SUPPORTED_SUBQUERIES, NO_BITS);
        put(SqlInfo.SQL_CORRELATED_SUBQUERIES_SUPPORTED, false);
        put(SqlInfo.SQL_SUPPORTED_UNIONS, NO_BITS);
        for (SqlInfo unlimited :
                List.of(
                        SqlInfo.SQL_MAX_BINARY_LITERAL_LENGTH,
                        SqlInfo.SQL_MAX_CHAR_LITERAL_LENGTH,
                        SqlInfo.SQL_MAX_COLUMN_NAME_LENGTH,
                        SqlInfo.SQL_MAX_COLUMNS_IN_GROUP_BY,
                        SqlInfo.SQL_MAX_COLUMNS_IN_INDEX,
                        SqlInfo.SQL_MAX_COLUMNS_IN_ORDER_BY,
                        SqlInfo.SQL_MAX_COLUMNS_IN_SELECT,
                        SqlInfo.SQL_MAX_COLUMNS_IN_TABLE,
                        SqlInfo.SQL_MAX_CURSOR_NAME_LENGTH,
                        SqlInfo.SQL_MAX_INDEX_LENGTH,
                        SqlInfo.SQL_DB_SCHEMA_NAME_LENGTH,
                        SqlInfo.SQL_MAX_PROCEDURE_NAME_LENGTH,
                        SqlInfo.SQL_MAX_CATALOG_NAME_LENGTH,
                        SqlInfo.SQL_MAX_ROW_SIZE,
                        SqlInfo.SQL_MAX_TABLE_NAME_LENGTH,
                        SqlInfo.SQL_MAX_USERNAME_LENGTH,
                        SqlInfo.SQL_MAX_CONNECTIONS)) {
            put(unlimited, 0L);
        }
        put(SqlInfo.SQL_MAX_ROW_SIZE_INCLUDES_BLOBS, true);
        put(SqlInfo.SQL_MAX_STATEMENT_LENGTH, (long) MAX_STATEMENT_CHARACTERS);
        put(SqlInfo.SQL_MAX_STATEMENTS, 0L);
        put(SqlInfo.SQL_MAX_TABLES_IN_SELECT, 1L);
        put(SqlInfo.SQL_DEFAULT_TRANSACTION_ISOLATION, (long) REPEATABLE_READ);
        put(SqlInfo.SQL_TRANSACTIONS_SUPPORTED, true);
        put(SqlInfo.SQL_SUPPORTED_TRANSACTIONS_ISOLATION_LEVELS, 1 << REPEATABLE_READ);
        put(SqlInfo.SQL_DATA_DEFINITION_CAUSES_TRANSACTION_COMMIT, false);
        put(SqlInfo.SQL_DATA_DEFINITIONS_IN_TRANSACTIONS_IGNORED, false);
        put(SqlInfo.SQL_SUPPORTED_RESULT_SET_TYPES, 1 << 1); // forward only
        put(SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_UNSPECIFIED, NO_BITS);
        put(SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_FORWARD_ONLY, 1 << 1); // read only
        put(SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_SENSITIVE, NO_BITS);
        put(SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_INSENSITIVE, NO_BITS);
        put(SqlInfo.SQL_BATCH_UPDATES_SUPPORTED, true);
        put(SqlInfo.SQL_SAVEPOINTS_SUPPORTED, false);
        put(SqlInfo.SQL_NAMED_PARAMETERS_SUPPORTED, false);
        put(SqlInfo.SQL_LOCATORS_UPDATE_COPY, false);
        put(SqlInfo.SQL_STORED_FUNCTIONS_USING_CALL_SYNTAX_SUPPORTED, false);
    }

    private void put(SqlInfo info, Object value) {
        values.put(info.getNumber(), value);
    }

    /** The rows of the wanted and known numbers; of all numbers if none is wanted in particular. */
    ArrowMessage rows(List<Integer> wanted) {
        ArrowUnionEncoder encoder =
                new ArrowUnionEncoder(
                        List.of(
                                VarcharType.VARCHAR,
                                ScalarType.BOOLEAN,
                                ScalarType.BIGINT,
                                ScalarType.INTEGER,
                                new ArrayType(VarcharType.VARCHAR),
                                new MapType(
                                        ScalarType.INTEGER, new ArrayType(ScalarType.INTEGER))));
        values.forEach(
                (name, value) -> {
                    if (wanted.isEmpty() || wanted.contains(name)) {
                        append(encoder, name, value);
                    }
                });
        return encoder.finish();
    }

    private static void append(ArrowUnionEncoder encoder, int name, Object value) {
        switch (value) {
            case String text -> appendText(encoder.append(name, TEXT), text);
            case Boolean truth -> encoder.append(name, BOOL).appendBoolean(truth);
            case Long number -> encoder.append(name, INT64).appendLong(number);
            case Integer number -> encoder.append(name, INT32).appendLong(number);
            case List<?> texts -> {
                ArrowColumnBuilder list = encoder.append(name, TEXTS);
                texts.forEach(text -> appendText(list.elements(), (String) text));
                list.endList();
            }
            default -> encoder.append(name, LISTS_BY_INT).endList();
        }
    }

    private static void appendText(ArrowColumnBuilder column, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        column.appendBytes(bytes, 0, bytes.length);
    }
}
