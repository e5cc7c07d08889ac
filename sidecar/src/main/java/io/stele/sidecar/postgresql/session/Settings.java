package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of one PostgreSQL session: some have an effect here, and all others may have any
 * value. Confined to one thread.
 */
public final class Settings {
    private static final int MAX_SETTINGS = 200;
    private static final int MAX_VALUE_LENGTH = 10_000;

    /** The settings whose changes are reported to clients. */
    private static final Set<String> REPORTED =
            Set.of(
                    "application_name",
                    "client_encoding",
                    "datestyle",
                    "intervalstyle",
                    "search_path",
                    "standard_conforming_strings",
                    "timezone");

    private static final Map<String, String> REPORTED_NAMES =
            Map.of(
                    "datestyle", "DateStyle",
                    "intervalstyle", "IntervalStyle",
                    "timezone", "TimeZone");

    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("application_name", ""),
                    Map.entry("client_encoding", "UTF8"),
                    Map.entry("client_min_messages", "notice"),
                    Map.entry("datestyle", "ISO, MDY"),
                    Map.entry("default_transaction_isolation", "repeatable read"),
                    Map.entry("default_transaction_read_only", "off"),
                    Map.entry("extra_float_digits", "1"),
                    Map.entry("integer_datetimes", "on"),
                    Map.entry("intervalstyle", "postgres"),
                    Map.entry("is_superuser", "off"),
                    Map.entry("lock_timeout", "0"),
                    Map.entry("max_identifier_length", "128"),
                    Map.entry("search_path", "public"),
                    Map.entry("server_encoding", "UTF8"),
                    Map.entry("standard_conforming_strings", "on"),
                    Map.entry("statement_timeout", "0"),
                    Map.entry("idle_in_transaction_session_timeout", "0"),
                    Map.entry("timezone", "UTC"),
                    Map.entry("transaction_isolation", "repeatable read"),
                    Map.entry("transaction_read_only", "off"));

    private static final Set<String> FIXED =
            Set.of(
                    "integer_datetimes",
                    "is_superuser",
                    "max_identifier_length",
                    "server_encoding",
                    "server_version",
                    "server_version_num");

    private final Map<String, String> initial = new HashMap<>(DEFAULTS);
    private final Map<String, String> values = new HashMap<>(DEFAULTS);
    private ZoneId zone = ZoneOffset.UTC;
    private List<String> searchPath = List.of("public");
    private long statementTimeoutMillis;

    public Settings(String serverVersion, String serverVersionNumber) {
        initial.put("server_version", serverVersion);
        initial.put("server_version_num", serverVersionNumber);
        values.putAll(initial);
    }

    /**
     * Sets a value at the start of the connection, to which RESET returns.
     *
     * @throws PostgresException as {@link #set}
     */
    public void setInitial(String name, String value) {
        set(name, value);
        initial.put(key(name), values.get(key(name)));
    }

    /**
     * Sets a value.
     *
     * @throws PostgresException INVALID_PARAMETER_VALUE
     */
    public void set(String name, String value) {
        String key = key(name);
        if (FIXED.contains(key)) {
            throw new PostgresException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "Expected a setting that can be changed, found '%s'".formatted(name));
        }
        if (value.length() > MAX_VALUE_LENGTH
                || (!values.containsKey(key) && values.size() >= MAX_SETTINGS)) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected at most %s settings of at most %s characters, found more"
                            .formatted(MAX_SETTINGS, MAX_VALUE_LENGTH));
        }
        String kept = value;
        switch (key) {
            case "timezone" -> zone = zone(value);
            case "search_path" -> searchPath = path(value);
            case "statement_timeout" -> statementTimeoutMillis = millis(name, value);
            case "client_encoding" -> {
                // PostgreSQL compares letters and digits alone: asyncpg sends 'utf-8', with quotes
                String encoding = value.toLowerCase(Locale.ENGLISH).replaceAll("[^a-z0-9]", "");
                if (!encoding.equals("utf8") && !encoding.equals("unicode")) {
                    throw invalid(name, "UTF8", value);
                }
                kept = "UTF8";
            }
            case "standard_conforming_strings" -> {
                if (!value.equalsIgnoreCase("on") && !value.equalsIgnoreCase("true")) {
                    throw invalid(name, "on", value);
                }
            }
            case "datestyle" -> {
                if (!value.toUpperCase(Locale.ENGLISH).startsWith("ISO")) {
                    throw invalid(name, "ISO", value);
                }
                kept = "ISO, MDY";
            }
            default -> {}
        }
        values.put(key, kept);
    }

    private static ZoneId zone(String value) {
        try {
            return switch (value.toUpperCase(Locale.ENGLISH)) {
                case "UTC", "GMT", "DEFAULT", "LOCAL" -> ZoneOffset.UTC;
                default -> ZoneId.of(value);
            };
        } catch (DateTimeException e) {
            throw invalid("TimeZone", "a zone such as UTC or Europe/Berlin", value);
        }
    }

    private static List<String> path(String value) {
        List<String> schemas = new ArrayList<>();
        for (String part : value.split(",")) {
            String schema = part.strip();
            if (schema.length() >= 2 && schema.startsWith("\"") && schema.endsWith("\"")) {
                schema = schema.substring(1, schema.length() - 1).replace("\"\"", "\"");
            }
            if (!schema.isEmpty() && !schema.equals("$user")) {
                schemas.add(schema);
            }
        }
        return List.copyOf(schemas);
    }

    private static long millis(String name, String value) {
        String text = value.strip().toLowerCase(Locale.ENGLISH);
        long unit = 1;
        if (text.endsWith("ms")) {
            text = text.substring(0, text.length() - 2);
        } else if (text.endsWith("min")) {
            text = text.substring(0, text.length() - 3);
            unit = 60_000;
        } else if (text.endsWith("s")) {
            text = text.substring(0, text.length() - 1);
            unit = 1_000;
        }
        try {
            long millis = Math.multiplyExact(Long.parseLong(text.strip()), unit);
            if (millis >= 0) {
                return millis;
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw invalid(name, "milliseconds, or a number with ms, s or min", value);
        }
        throw invalid(name, "0 or more milliseconds", value);
    }

    private static PostgresException invalid(String name, String expected, String found) {
        return new PostgresException(
                SqlState.INVALID_PARAMETER_VALUE,
                "Expected %s as %s, found '%s'".formatted(expected, name, found));
    }

    /** The name by which a setting is stored. */
    static String key(String name) {
        String lower = name.toLowerCase(Locale.ENGLISH).strip();
        return lower.equals("time zone") ? "timezone" : lower;
    }

    /** Sets a value back to its value at the start of the connection. */
    public void reset(String name) {
        String key = key(name);
        String first = initial.get(key);
        if (first == null) {
            values.remove(key);
        } else if (!FIXED.contains(key)) {
            set(key, first);
        }
    }

    /** Sets a value back to an earlier value, or removes it. */
    void restore(String name, Optional<String> before) {
        if (FIXED.contains(key(name))) {
            return;
        }
        if (before.isPresent()) {
            set(name, before.get());
        } else {
            values.remove(key(name));
        }
    }

    public void resetAll() {
        List.copyOf(values.keySet()).forEach(this::reset);
    }

    /** The value of a setting, if it has one. */
    public Optional<String> find(String name) {
        return Optional.ofNullable(values.get(key(name)));
    }

    /** The name and value of a setting, if its changes are reported to clients. */
    public Optional<Map.Entry<String, String>> reported(String name) {
        String key = key(name);
        return REPORTED.contains(key) && values.containsKey(key)
                ? Optional.of(Map.entry(REPORTED_NAMES.getOrDefault(key, key), values.get(key)))
                : Optional.empty();
    }

    /** All values by name. */
    public Map<String, String> all() {
        return Map.copyOf(values);
    }

    public ZoneId zone() {
        return zone;
    }

    /** The schemas in which a table without a schema is looked up, in order. */
    public List<String> searchPath() {
        return searchPath;
    }

    /** The timeout of statements in milliseconds; 0: none. */
    public long statementTimeoutMillis() {
        return statementTimeoutMillis;
    }

    public String applicationName() {
        return values.getOrDefault("application_name", "");
    }
}
