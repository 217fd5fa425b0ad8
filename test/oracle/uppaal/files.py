"""Reads models from files: XTA, and XML with its queries; query files."""
import os
import re
import xml.etree.ElementTree as tree
from .syntax import (Parser, Refused, new_edge, new_location, new_template, read_declarations,
                     read_label)


def text_of(element, name):
    child = element.find(name)
    return child.text or '' if child is not None else ''


def labels(element):
    return {label.get('kind'): label.text for label in element.findall('label')
            if label.text and label.text.strip()}


def location_of(element):
    location = new_location(text_of(element, 'name').strip() or '_' + element.get('id'))
    location.urgent = element.find('urgent') is not None
    location.committed = element.find('committed') is not None
    found = labels(element)
    if 'invariant' in found:
        location.invariant = read_label(found['invariant'], Parser.expression)
    return location


def edge_of(element, names):
    edge, found = new_edge(), labels(element)
    edge.source = names[element.find('source').get('ref')]
    edge.target = names[element.find('target').get('ref')]
    if 'select' in found:
        edge.select = read_label(found['select'], Parser.selects)
    if 'guard' in found:
        edge.guard = read_label(found['guard'], Parser.expression)
    if 'synchronisation' in found:
        edge.sync = read_label(found['synchronisation'], Parser.sync)
    if 'assignment' in found:
        edge.update = read_label(found['assignment'], lambda p: p.separated(p.expression))
    return edge


def template_of(element):
    template = new_template(text_of(element, 'name').strip())
    parameters = text_of(element, 'parameter')
    template.parameters = read_label(parameters + ')', Parser.parameters)
    template.declarations = read_declarations(text_of(element, 'declaration'))
    names = {}
    for place in element.findall('location'):
        location = location_of(place)
        names[place.get('id')] = location.name
        template.locations[location.name] = location
    for point in element.findall('branchpoint'):
        names[point.get('id')] = point.get('id')
        template.branches.append(point.get('id'))
    template.initial = names[element.find('init').get('ref')]
    template.edges = [edge_of(edge, names) for edge in element.findall('transition')]
    return template


def read_xml(text):
    """(declarations, texts of queries)"""
    root = tree.fromstring(text)
    if root.find('lsc') is not None:
        raise Refused('live sequence chart')
    found = read_declarations(text_of(root, 'declaration'))
    found += [('process', template_of(element)) for element in root.findall('template')]
    found += read_declarations(text_of(root, 'instantiation'))
    found += read_declarations(text_of(root, 'system'))
    queries = [text_of(query, 'formula').strip() for query in root.iter('query')]
    return found, [query for query in queries if query]


def read_queries(text):
    """One query per line."""
    text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.DOTALL)
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'\\\r?\n', ' ', text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_model(path):
    """(declarations, texts of queries): those of the file, or of the .q file beside it."""
    with open(path, 'rb') as file:
        data = file.read()
    if path.endswith('.xml'):
        found, queries = read_xml(re.sub(rb'<!DOCTYPE[^>]*>', b'', data))
    else:
        found, queries = read_declarations(data.decode('utf-8', 'replace')), []
    beside = os.path.splitext(path)[0] + '.q'
    if not queries and os.path.exists(beside):
        with open(beside, encoding='utf-8', errors='replace') as file:
            queries = read_queries(file.read())
    return found, queries
