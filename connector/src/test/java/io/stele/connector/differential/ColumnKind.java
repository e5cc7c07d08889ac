package io.stele.connector.differential;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Types of columns, with values that lie at the edges of what files keep of them. */
enum ColumnKind {
    BIGINT("bigint", true) {
        @Override
        String value(RandomGenerator random) {
            return switch (random.nextInt(12)) {
                case 0 -> "9223372036854775807";
                case 1 -> "-9223372036854775808";
                default -> Long.toString(random.nextInt(-20, 200));
            };
        }
    },
    INTEGER("integer", true) {
        @Override
        String value(RandomGenerator random) {
            return Integer.toString(random.nextInt(-5, 50));
        }
    },
    TINYINT("tinyint", true) {
        @Override
        String value(RandomGenerator random) {
            return Integer.toString(random.nextInt(-128, 128));
        }
    },
    DOUBLE("double", true) {
        @Override
        String value(RandomGenerator random) {
            return floating(random);
        }
    },
    REAL("real", true) {
        @Override
        String value(RandomGenerator random) {
            return floating(random);
        }
    },
    DECIMAL("decimal(12, 2)", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(Locale.ROOT, "%d.%02d", random.nextInt(-99, 99), digits(random));
        }
    },
    LONG_DECIMAL("decimal(30, 3)", true) {
        @Override
        String value(RandomGenerator random) {
            return random.nextInt(8) == 0
                    ? "999999999999999999999999999.999"
                    : String.format(
                            Locale.ROOT, "%d.%03d", random.nextInt(-99, 99), digits(random));
        }
    },
    VARCHAR("varchar", true) {
        @Override
        String value(RandomGenerator random) {
            return "'" + text(random) + "'";
        }
    },
    BOUNDED_VARCHAR("varchar(40)", true) {
        @Override
        String value(RandomGenerator random) {
            return "'" + text(random) + "'";
        }
    },
    CHAR("char(5)", true) {
        @Override
        String value(RandomGenerator random) {
            return "'" + "abc d".substring(0, random.nextInt(6)) + "'";
        }
    },
    VARBINARY("varbinary", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT, "X'%s'", "00ff7f80".substring(0, 2 * random.nextInt(5)));
        }
    },
    BOOLEAN("boolean", true) {
        @Override
        String value(RandomGenerator random) {
            return Boolean.toString(random.nextBoolean());
        }
    },
    DATE("date", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT,
                    "DATE '%04d-%02d-01'",
                    random.nextBoolean() ? 2026 : 1901,
                    1 + random.nextInt(12));
        }
    },
    TIME("time(3)", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT, "TIME '%02d:00:00.%03d'", random.nextInt(24), digits(random));
        }
    },
    TIMESTAMP("timestamp(6)", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT,
                    "TIMESTAMP '%d-03-04 05:06:%02d.000001'",
                    random.nextInt(8) == 0 ? 1899 : 2026,
                    random.nextInt(60));
        }
    },
    INSTANT("timestamp(3) with time zone", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT, "TIMESTAMP '2026-03-04 05:06:%02d.500 UTC'", random.nextInt(60));
        }
    },
    PICOS_OF_DAY("time(12)", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT, "TIME '23:59:59.%012d'", 999_999_999_980L + random.nextInt(20));
        }
    },
    NANOS("timestamp(9)", true) {
        @Override
        String value(RandomGenerator random) {
            return wide(random, "999999999");
        }
    },
    PICOS("timestamp(12)", true) {
        @Override
        String value(RandomGenerator random) {
            return wide(random, String.format(Locale.ROOT, "%012d", random.nextInt(3)));
        }
    },
    INSTANT_PICOS("timestamp(12) with time zone", true) {
        @Override
        String value(RandomGenerator random) {
            return wide(random, "999999999999 UTC");
        }
    },
    UUID("uuid", true) {
        @Override
        String value(RandomGenerator random) {
            return String.format(
                    Locale.ROOT,
                    "UUID '%x2345678-9abc-def0-1234-56789abcdef0'",
                    random.nextInt(16));
        }
    },
    ARRAY("array(bigint)", false) {
        @Override
        String value(RandomGenerator random) {
            return switch (random.nextInt(4)) {
                case 0 -> "ARRAY[]";
                case 1 -> "ARRAY[NULL, 7]";
                default -> "ARRAY[" + BIGINT.value(random) + ", " + BIGINT.value(random) + "]";
            };
        }
    },
    ROW("row(a bigint, b varchar)", false) {
        @Override
        String value(RandomGenerator random) {
            return random.nextInt(4) == 0
                    ? "ROW(NULL, 'n')"
                    : "ROW(" + BIGINT.value(random) + ", " + VARCHAR.value(random) + ")";
        }
    };

    private final String sqlType;
    private final boolean orderable;

    ColumnKind(String sqlType, boolean orderable) {
        this.sqlType = requireNonNull(sqlType, "sqlType is null");
        this.orderable = orderable;
    }

    /** An expression of another value than null. */
    abstract String value(RandomGenerator random);

    String sqlType() {
        return sqlType;
    }

    /** Whether values can be compared, and queries grouped by them. */
    boolean isOrderable() {
        return orderable;
    }

    /** The same with its type, or null now and then. */
    String nullable(RandomGenerator random) {
        String value = random.nextInt(6) == 0 ? "NULL" : value(random);
        return "CAST(" + value + " AS " + sqlType + ")";
    }

    /** With its type. */
    String literal(RandomGenerator random) {
        return "CAST(" + value(random) + " AS " + sqlType + ")";
    }

    /** The value as a literal that DEFAULT takes; empty: it is none. */
    Optional<String> plainLiteral(RandomGenerator random) {
        String value = value(random);
        return value.indexOf('(') < 0 && value.indexOf('[') < 0
                ? Optional.of(value)
                : Optional.empty();
    }

    private static String floating(RandomGenerator random) {
        return switch (random.nextInt(10)) {
            case 0 -> "nan()";
            case 1 -> "infinity()";
            case 2 -> "-infinity()";
            default -> random.nextInt(-9, 9) + ".5E0";
        };
    }

    /** A timestamp of one of a few seconds, some further away than 64 bits of nanoseconds reach. */
    private static String wide(RandomGenerator random, String fraction) {
        String second =
                switch (random.nextInt(6)) {
                    case 0 -> "9999-12-31 23:59:59";
                    case 1 -> "0001-01-01 00:00:00";
                    case 2 -> "1969-12-31 23:59:59";
                    default -> "2026-03-04 05:06:0" + random.nextInt(10);
                };
        return "TIMESTAMP '" + second + "." + fraction + "'";
    }

    private static String text(RandomGenerator random) {
        return switch (random.nextInt(8)) {
            case 0 -> "";
            case 1 -> "é" + random.nextInt(3);
            case 2 -> "the same beginning of a long text " + random.nextInt(4);
            default -> "v" + random.nextInt(20);
        };
    }

    private static int digits(RandomGenerator random) {
        return random.nextInt(100);
    }
}
