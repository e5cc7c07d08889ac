package io.stele.sidecar.metrics;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.openmetrics.OpenMetricsCollector;
import io.airlift.openmetrics.types.CompositeMetric;
import io.airlift.openmetrics.types.Metric;
import io.airlift.stats.CounterStat;
import io.stele.objectstore.metrics.Cumulative;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.management.ObjectName;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ManagedClass;
import org.weakref.jmx.ManagedObjectExport;

/**
 * A writer of all metrics of this process in the text format of OpenMetrics 1.0 [1], for {@code GET
 * /metrics}.
 *
 * <p>An attribute {@code MemTableBytes} of the MBean {@code stele:name=engine} is the family {@code
 * stele_engine_mem_table_bytes}; other properties of the MBean's name are labels. Attributes of
 * {@link CounterStat}, and those that are {@link Cumulative}, are counters; a {@link Histogram} is
 * a histogram; other numbers are gauges. Metrics of the libraries have the names that airlift gives
 * them.
 *
 * <p>[1] OpenMetrics 1.0.0, sections "Text Format" and "Metric Types". Thread safe.
 */
public final class MetricsExposition {
    private static final String DOMAIN = "stele";
    private static final String AIRLIFTS_PREFIX = DOMAIN + "_name_";

    private final MBeanExporter exporter;
    private final OpenMetricsCollector libraries;
    private final Set<LabelledHistograms> labelled;

    @Inject
    public MetricsExposition(
            MBeanExporter exporter,
            OpenMetricsCollector libraries,
            Set<LabelledHistograms> labelled) {
        this.labelled = Set.copyOf(labelled);
        this.exporter = requireNonNull(exporter, "exporter is null");
        this.libraries = requireNonNull(libraries, "libraries is null");
    }

    /** Writes the present values of all metrics, each family once, and the end mark. */
    public void write(Writer writer) throws IOException {
        Map<String, Family> families = new TreeMap<>();
        for (ManagedObjectExport export :
                List.copyOf(exporter.getManagedObjectExports().values())) {
            ObjectName name = export.getObjectName();
            if (name.getDomain().equals(DOMAIN) && name.getKeyProperty("name") != null) {
                collect(
                        DOMAIN + "_" + name.getKeyProperty("name"),
                        labels(name),
                        export.getManagedClass(),
                        families);
            }
        }
        labelled.forEach(histograms -> collect(histograms, families));
        for (Map.Entry<String, Family> family : families.entrySet()) {
            family.getValue().write(family.getKey(), writer);
        }
        writeLibraries(writer);
        writer.write("# EOF\n");
    }

    private static void collect(LabelledHistograms histograms, Map<String, Family> families) {
        Family family =
                family(families, histograms.family(), "histogram", histograms.description());
        histograms.forEach(
                (labels, histogram) -> {
                    StringJoiner text = new StringJoiner(",");
                    new TreeMap<>(labels).forEach((name, value) -> text.add(label(name, value)));
                    family.samples(text.toString(), histogram.snapshot());
                });
    }

    private static String label(String name, String value) {
        return name + "=\"" + escaped(value) + '"';
    }

    private static String labels(ObjectName name) {
        StringBuilder labels = new StringBuilder();
        for (String key : new TreeSet<>(name.getKeyPropertyList().keySet())) {
            if (!key.equals("name")) {
                String value = name.getKeyProperty(key);
                String text = value.startsWith("\"") ? ObjectName.unquote(value) : value;
                labels.append(labels.isEmpty() ? "" : ",").append(label(key, text));
            }
        }
        return labels.toString();
    }

    private static void collect(
            String prefix, String labels, ManagedClass managed, Map<String, Family> families) {
        for (String attribute : new TreeSet<>(managed.getAttributeNames())) {
            String name = prefix + "_" + snakeCase(attribute);
            String help = managed.getAttributeDescription(attribute);
            ManagedClass child = managed.getChildren().get(attribute);
            if (child == null) {
                collectValue(name, labels, help, managed, attribute, families);
                continue;
            }
            switch (child.getTarget()) {
                case CounterStat counter ->
                        family(families, name, "counter", help)
                                .sample("_total", labels, (double) counter.getTotalCount());
                case Histogram histogram ->
                        family(families, name, "histogram", help)
                                .samples(labels, histogram.snapshot());
                default -> collect(name, labels, child, families);
            }
        }
    }

    private static void collectValue(
            String name,
            String labels,
            String help,
            ManagedClass managed,
            String attribute,
            Map<String, Family> families) {
        Object value;
        try {
            value = managed.invokeAttribute(attribute);
        } catch (ReflectiveOperationException failed) {
            return; // The value cannot be read now: its family lacks one sample.
        }
        double number;
        switch (value) {
            case Boolean bool -> number = bool ? 1 : 0;
            case Number present -> number = present.doubleValue();
            case null, default -> {
                return; // Not a metric, for example a text.
            }
        }
        if (isCumulative(managed.getTargetClass(), attribute)) {
            family(families, name, "counter", help).sample("_total", labels, number);
        } else {
            family(families, name, "gauge", help).sample("", labels, number);
        }
    }

    private static boolean isCumulative(Class<?> type, String attribute) {
        try {
            return type.getMethod("get" + attribute).isAnnotationPresent(Cumulative.class);
        } catch (NoSuchMethodException isOrSetter) {
            return false;
        }
    }

    private static Family family(
            Map<String, Family> families, String name, String type, String help) {
        return families.computeIfAbsent(name, key -> new Family(type, help));
    }

    /** Writes the metrics of libraries. */
    private void writeLibraries(Writer writer) throws IOException {
        Map<String, List<Metric>> families = new LinkedHashMap<>();
        for (Metric metric : libraries.collect()) {
            List<Metric> parts =
                    metric instanceof CompositeMetric composite
                            ? composite.subMetrics()
                            : List.of(metric);
            for (Metric part : parts) {
                if (!part.metricName().startsWith(AIRLIFTS_PREFIX)) {
                    families.computeIfAbsent(part.metricName(), key -> new ArrayList<>()).add(part);
                }
            }
        }
        for (List<Metric> family : families.values()) {
            family.getFirst().writeMetricDescriptor(writer);
            for (Metric metric : family) {
                metric.writeMetricExposition(writer);
            }
        }
    }

    /** {@code MemTableBytes} is {@code mem_table_bytes}. */
    static String snakeCase(String attribute) {
        return attribute
                .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .replaceAll("([A-Z])([A-Z][a-z])", "$1_$2")
                .toLowerCase(java.util.Locale.ROOT);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** The samples of one name, of every MBean that has them. */
    private static final class Family {
        private final String type;
        private final String help;
        private final List<String> lines = new ArrayList<>();

        Family(String type, String help) {
            this.type = type;
            this.help = help;
        }

        void sample(String suffix, String labels, double value) {
            lines.add(suffix + (labels.isEmpty() ? "" : "{" + labels + "}") + " " + text(value));
        }

        void samples(String labels, Histogram.Snapshot histogram) {
            String others = labels.isEmpty() ? "" : labels + ",";
            for (int i = 0; i < histogram.bounds().length; i++) {
                sample(
                        "_bucket",
                        others + "le=\"" + text(histogram.bounds()[i]) + "\"",
                        (double) histogram.counts()[i]);
            }
            double count = (double) histogram.counts()[histogram.bounds().length];
            sample("_bucket", others + "le=\"+Inf\"", count);
            sample("_sum", labels, histogram.sum());
            sample("_count", labels, count);
        }

        void write(String name, Writer writer) throws IOException {
            writer.write("# TYPE " + name + " " + type + "\n");
            if (help != null && !help.isEmpty()) {
                writer.write("# HELP " + name + " " + escaped(help) + "\n");
            }
            for (String line : lines) {
                writer.write(name + line + "\n");
            }
        }

        private static String text(double value) {
            return value == Math.rint(value) && Math.abs(value) < 1e15
                    ? Long.toString((long) value)
                    : Double.toString(value);
        }
    }
}
