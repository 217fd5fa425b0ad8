"""An oracle for UPPAAL models, written from the reference page alone and independent of Cairn:

    syntax.py    reads XTA and XML into trees (files.py: from files, with their queries)
    system.py    types, scopes, templates, processes: the trees made into a system
    machine.py   evaluates expressions, statements and steps at one point of time
    regions.py   the graph of all clock regions, or of whole moments: decides every kind of query
    symbolic.py  zones without extrapolation, for numbers of steps that are bounded
    by_hand.py   small models with answers that were worked out by hand
    generate.py  random models; shrink.py makes a failing one small
"""
