package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.airlift.units.DataSize;
import io.stele.protocol.SteleException;
import io.stele.scheduler.SchedulingGroup;
import io.stele.sidecar.settings.JsonSettings;
import io.stele.sidecar.settings.JsonSettings.Element;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A parser of {@code scheduling-groups.json}, whose format docs/configuration.md describes. Every
 * mistake is an error that names the file and the place in it, what was expected and what was
 * found.
 */
final class GroupSpecReader {
    private static final int MAX_GROUPS = 1_000;
    private static final int MAX_LIMIT = 1_000_000;

    // A scan reserves a few batches of 1 MB, and an aggregation must have room for some groups.
    private static final DataSize MIN_MEMORY = DataSize.of(16, DataSize.Unit.MEGABYTE);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Set<String> RESERVED = Set.of("data-bound");

    private final JsonSettings settings;

    private GroupSpecReader(JsonSettings settings) {
        this.settings = requireNonNull(settings, "settings is null");
    }

    /**
     * @throws SteleException INVALID_ARGUMENT if the file is invalid, with the place of the mistake
     */
    static GroupSpecs read(Path file) {
        return new GroupSpecReader(
                        JsonSettings.of(file, JsonSettings.content(file, "scheduling groups")))
                .read();
    }

    private GroupSpecs read() {
        settings.requireObject(settings.root(), Set.of("groups", "selectors"));
        Map<String, GroupSpec> groups = new LinkedHashMap<>();
        for (Element element : settings.elements("groups")) {
            GroupSpec group = group(element);
            if (groups.put(group.name(), group) != null) {
                throw settings.wrong(element.path() + ".name", "a name of its own", group.name());
            }
        }
        groups.computeIfAbsent(GroupSpec.DEFAULT_NAME, GroupSpec::ofName);
        if (groups.size() > MAX_GROUPS) {
            throw settings.wrong("$.groups", "at most " + MAX_GROUPS + " groups", groups.size());
        }
        List<Selector> selectors = new ArrayList<>();
        for (Element element : settings.elements("selectors")) {
            selectors.add(selector(element, groups.keySet()));
        }
        return new GroupSpecs(List.copyOf(groups.values()), selectors);
    }

    private GroupSpec group(Element element) {
        JsonNode node = element.node();
        String path = element.path();
        settings.requireObject(
                element,
                Set.of("name", "shares", "maxRunning", "maxQueued", "maxLookups", "maxMemory"));
        JsonNode name = node.path("name");
        if (!name.isTextual()
                || !NAME.matcher(name.textValue()).matches()
                || RESERVED.contains(name.textValue())) {
            throw settings.wrong(
                    path + ".name",
                    "1 to 64 letters, digits, - or _, and not one of " + RESERVED,
                    name);
        }
        return new GroupSpec(
                name.textValue(),
                number(element, "shares", GroupSpec.DEFAULT_SHARES, 1, SchedulingGroup.MAX_SHARES),
                number(element, "maxRunning", GroupSpec.DEFAULT_MAX_RUNNING, 1, MAX_LIMIT),
                number(element, "maxQueued", GroupSpec.DEFAULT_MAX_QUEUED, 0, MAX_LIMIT),
                number(element, "maxLookups", GroupSpec.DEFAULT_MAX_LOOKUPS, 1, MAX_LIMIT),
                maxMemory(element));
    }

    private long maxMemory(Element element) {
        JsonNode value = element.node().path("maxMemory");
        if (value.isMissingNode()) {
            return Long.MAX_VALUE;
        }
        try {
            DataSize size = DataSize.valueOf(value.isTextual() ? value.textValue() : "");
            if (size.compareTo(MIN_MEMORY) >= 0) {
                return size.toBytes();
            }
        } catch (IllegalArgumentException noSize) {
            // the same mistake as a size that is too small
        }
        throw settings.wrong(
                element.path() + ".maxMemory",
                "a size of at least %s, such as \"512MB\"".formatted(MIN_MEMORY),
                value);
    }

    private int number(Element element, String key, int absent, int min, int max) {
        JsonNode value = element.node().path(key);
        if (value.isMissingNode()) {
            return absent;
        }
        if (!value.isInt() || value.intValue() < min || value.intValue() > max) {
            throw settings.wrong(
                    element.path() + "." + key,
                    "a number from %d to %d".formatted(min, max),
                    value);
        }
        return value.intValue();
    }

    private Selector selector(Element element, Set<String> groups) {
        JsonNode node = element.node();
        settings.requireObject(element, Set.of("user", "source", "resourceGroup", "group"));
        JsonNode group = node.path("group");
        if (!group.isTextual() || !groups.contains(group.textValue())) {
            throw settings.wrong(element.path() + ".group", "one of the groups " + groups, group);
        }
        return new Selector(
                settings.pattern(element, "user"),
                settings.pattern(element, "source"),
                settings.pattern(element, "resourceGroup"),
                group.textValue());
    }
}
