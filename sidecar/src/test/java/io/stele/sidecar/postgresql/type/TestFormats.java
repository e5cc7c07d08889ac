package io.stele.sidecar.postgresql.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stele.protocol.schema.DataType;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TestFormats {
    private static final ZoneOffset UTC = ZoneOffset.UTC;

    @Test
    void valuesGoBothWays() throws IOException {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            for (PostgresType type : PostgresType.values()) {
                Object value = value(type, random);
                assertThat(TextFormat.read(type, TextFormat.write(value), UTC))
                        .as(type.sqlName())
                        .isEqualTo(value);
                assertThat(BinaryFormat.read(type, binary(type, value)))
                        .as(type.sqlName())
                        .isEqualTo(value);
            }
        }
    }

    @Test
    void arraysGoBothWays() throws IOException {
        Random random = new Random(8);
        for (int round = 0; round < 500; round++) {
            for (PostgresType type :
                    List.of(PostgresType.INT4, PostgresType.TEXT, PostgresType.UUID)) {
                List<Object> values = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    values.add(random.nextInt(4) == 0 ? null : value(type, random));
                }
                assertThat(TextFormat.readArray(type, TextFormat.write(values), UTC))
                        .isEqualTo(values);
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                MessageWriter out = new MessageWriter(bytes);
                BinaryFormat.writeArray(type, values, out);
                out.flush();
                assertThat(BinaryFormat.readArray(type, bytes.toByteArray())).isEqualTo(values);
            }
        }
    }

    /** As PostgreSQL 15 writes them. */
    @Test
    void textsAreThoseOfPostgres() {
        assertThat(TextFormat.write(true)).isEqualTo("t");
        assertThat(TextFormat.write(1.0)).isEqualTo("1");
        assertThat(TextFormat.write(Double.NEGATIVE_INFINITY)).isEqualTo("-Infinity");
        assertThat(TextFormat.write(-0.0)).isEqualTo("-0");
        assertThat(TextFormat.write(123_456_789.5)).isEqualTo("123456789.5");
        assertThat(TextFormat.write(-1e14)).isEqualTo("-100000000000000");
        assertThat(TextFormat.write(1e15)).isEqualTo("1e+15");
        assertThat(TextFormat.write(-Double.MAX_VALUE)).isEqualTo("-1.7976931348623157e+308");
        assertThat(TextFormat.write(0.0001)).isEqualTo("0.0001");
        assertThat(TextFormat.write(0.000012)).isEqualTo("1.2e-05");
        assertThat(TextFormat.write(-999_999.5f)).isEqualTo("-999999.5");
        assertThat(TextFormat.write(1_000_000f)).isEqualTo("1e+06");
        assertThat(TextFormat.write(Float.MAX_VALUE)).isEqualTo("3.4028235e+38");
        assertThat(TextFormat.write(new BigDecimal("1E+3"))).isEqualTo("1000");
        assertThat(TextFormat.write(new byte[] {0, -1})).isEqualTo("\\x00ff");
        assertThat(TextFormat.write(LocalDate.of(-43, 3, 15))).isEqualTo("0044-03-15 BC");
        assertThat(TextFormat.write(LocalDateTime.of(2026, 1, 2, 3, 4, 5, 600_000_000)))
                .isEqualTo("2026-01-02 03:04:05.6");
        assertThat(TextFormat.write(Instant.parse("2026-01-02T03:04:05Z")))
                .isEqualTo("2026-01-02 03:04:05+00");
        assertThat(TextFormat.write(Arrays.asList("a b", null, "NULL", "x\"y", "")))
                .isEqualTo("{\"a b\",NULL,\"NULL\",\"x\\\"y\",\"\"}");
    }

    @Test
    void textsOfClientsAreRead() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        Instant noon = Instant.parse("2026-07-01T10:00:00Z");
        for (String text :
                List.of(
                        "2026-07-01 12:00:00",
                        "2026-07-01T12:00",
                        "2026-07-01 10:00:00Z",
                        "2026-07-01 12:00:00+02",
                        "2026-07-01 15:30:00 +05:30")) {
            assertThat(TextFormat.read(PostgresType.TIMESTAMPTZ, text, berlin)).isEqualTo(noon);
        }
        for (String text : List.of("07:08:00", "7:08:00", "07:08", "07:08:00.000")) {
            assertThat(TextFormat.read(PostgresType.TIME, text, UTC)).isEqualTo(LocalTime.of(7, 8));
        }
        assertThat(TextFormat.read(PostgresType.TIME, "24:00:00", UTC))
                .isEqualTo(LocalTime.MIDNIGHT);
        assertThat(TextFormat.read(PostgresType.FLOAT8, "-Infinity", UTC))
                .isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(TextFormat.read(PostgresType.FLOAT8, " -1.5e3 ", UTC)).isEqualTo(-1500.0);
        assertThat(TextFormat.read(PostgresType.BYTEA, "a\\\\b\\000", UTC))
                .isEqualTo(new byte[] {'a', '\\', 'b', 0});
        assertThat(TextFormat.read(PostgresType.UUID, "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", UTC))
                .isEqualTo(UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
        assertThat(TextFormat.read(PostgresType.BOOL, " on ", UTC)).isEqualTo(true);
    }

    @Test
    void wrongValuesAreNamed() {
        refuses(PostgresType.INT4, "1.5", "integer");
        refuses(PostgresType.INT4, "-", "integer");
        refuses(PostgresType.INT4, "\u0661", "integer");
        refuses(PostgresType.INT2, "32768", "range of smallint");
        refuses(PostgresType.FLOAT8, "1d", "double precision");
        refuses(PostgresType.FLOAT8, "", "double precision");
        refuses(PostgresType.DATE, "2026-02-30", "date");
        refuses(PostgresType.DATE, "2026-13-01", "date");
        refuses(PostgresType.TIME, "23:60:00", "time");
        refuses(PostgresType.TIMESTAMP, "2026-01-02 25:00:00", "timestamp");
        refuses(PostgresType.UUID, "abc", "uuid");
        refuses(PostgresType.BYTEA, "\\xabc", "bytea");
        refuses(PostgresType.NUMERIC, "1e999999999", "exponent");
        assertThatThrownBy(() -> BinaryFormat.read(PostgresType.INT8, new byte[4]))
                .hasMessageContaining("found 4 bytes");
        assertThatThrownBy(
                        () -> BinaryFormat.read(PostgresType.TEXT, new byte[] {(byte) 0xC3, 0x28}))
                .hasMessageContaining("UTF-8");
        String odd = "\uFFFD"; // what a lenient reader makes of other bytes
        assertThat(BinaryFormat.read(PostgresType.TEXT, odd.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(odd);
    }

    /** PostgreSQL has 22008 for times, 22003 for numbers. */
    @Test
    void valuesBeyondTheirTypesAreOutOfRange() {
        for (String date : List.of("2026-02-30", "999999999-01-01", "5877642-01-01 BC")) {
            assertThat(stateOf(PostgresType.DATE, date)).isEqualTo(SqlState.DATETIME_OUT_OF_RANGE);
        }
        assertThat(stateOf(PostgresType.TIME, "25:00")).isEqualTo(SqlState.DATETIME_OUT_OF_RANGE);
        for (PostgresType type : List.of(PostgresType.TIMESTAMP, PostgresType.TIMESTAMPTZ)) {
            for (String time : List.of("300000-01-01 00:00:00", "2026-01-02 03:60:00")) {
                assertThat(stateOf(type, time)).isEqualTo(SqlState.DATETIME_OUT_OF_RANGE);
            }
            assertThat(stateOf(type, "2026-01-02 03:04:05 nowhere"))
                    .isEqualTo(SqlState.INVALID_TEXT);
        }
        assertThat(stateOf(PostgresType.DATE, "yesterday")).isEqualTo(SqlState.INVALID_TEXT);
        assertThat(stateOf(PostgresType.FLOAT4, "-1e39")).isEqualTo(SqlState.NUMERIC_OUT_OF_RANGE);
        assertThat(stateOf(PostgresType.FLOAT8, "1e309")).isEqualTo(SqlState.NUMERIC_OUT_OF_RANGE);
        assertThat(TextFormat.read(PostgresType.FLOAT4, "-inf", UTC))
                .isEqualTo(Float.NEGATIVE_INFINITY);
    }

    private static SqlState stateOf(PostgresType type, String text) {
        return catchThrowableOfType(PostgresException.class, () -> TextFormat.read(type, text, UTC))
                .state();
    }

    @Test
    void aColumnOfJsonHasJson() {
        for (String json : List.of("null", " [1, {\"a\": \"\"}] ", "-1.5e3", "\"x\"")) {
            assertThat(ColumnValues.toColumn(DataType.parse("json"), json, UTC, "j"))
                    .isEqualTo(json);
        }
        for (String text : List.of("", "{", "[1,]", "1 2", "x", "NaN", "'x'", "{\"a\"}")) {
            PostgresException refused =
                    catchThrowableOfType(
                            PostgresException.class,
                            () -> ColumnValues.toColumn(DataType.parse("json"), text, UTC, "j"));
            assertThat(refused.state()).as(text).isEqualTo(SqlState.INVALID_TEXT);
        }
    }

    private static void refuses(PostgresType type, String text, String message) {
        assertThatThrownBy(() -> TextFormat.read(type, text, UTC))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining(message);
    }

    private static byte[] binary(PostgresType type, Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        MessageWriter out = new MessageWriter(bytes);
        BinaryFormat.write(type, value, out);
        out.flush();
        return bytes.toByteArray();
    }

    private static Object value(PostgresType type, Random random) {
        return switch (type) {
            case BOOL -> random.nextBoolean();
            case INT2 -> (short) random.nextInt();
            case INT4, OID -> random.nextInt();
            case INT8 -> random.nextLong();
            case FLOAT4 -> Float.intBitsToFloat(random.nextInt() & 0x7F7F_FFFF);
            case FLOAT8 ->
                    random.nextInt(20) == 0
                            ? Double.NaN
                            : random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
            case NUMERIC ->
                    new BigDecimal(
                            new BigInteger(random.nextInt(130), random)
                                    .multiply(BigInteger.valueOf(random.nextInt(3) - 1)),
                            random.nextInt(30));
            case BYTEA -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                yield bytes;
            }
            case DATE -> LocalDate.ofEpochDay(random.nextInt(4_000_000) - 2_000_000);
            case TIME -> LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000L) * 1_000);
            case TIMESTAMP -> LocalDateTime.ofInstant(instant(random), UTC);
            case TIMESTAMPTZ -> instant(random);
            case UUID -> new UUID(random.nextLong(), random.nextLong());
            case CHAR, NAME, TEXT, VARCHAR, BPCHAR, UNKNOWN, JSON, JSONB ->
                    "\u00e9{}\"\\, x".substring(random.nextInt(8));
        };
    }

    private static Instant instant(Random random) {
        return Instant.ofEpochSecond(
                random.nextLong(100_000_000_000L) - 50_000_000_000L,
                random.nextInt(1_000_000) * 1_000);
    }
}
